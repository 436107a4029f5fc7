import type { ProjectSettings, ProjectSettingsEdit } from '../../contract/project.ts';
import { ServiceError } from '../http/service-error.ts';
import { STORAGE_LOCATION } from '../storage/blobs/blob-store.ts';
import { isStorableText } from '../store/storable-text.ts';

const NAME_LENGTH_MAX = 255;

export const NEW_PROJECT_SETTINGS: ProjectSettings = {
  locked: false,
  controlled: false,
  use_interruptible_instances: false,
  allow_network_access: false,
  use_memoization: false,
  use_elastic_disk: false,
  intermediate_files: { retention: 'LIMITED', duration: 24 },
  location: STORAGE_LOCATION,
};

/** @throws ServiceError 3007 */
export function checkProjectName(name: string | undefined): string {
  if (
    name === undefined ||
    shortNameOf(name) === '' ||
    !isStorableText(name) ||
    name.length > NAME_LENGTH_MAX
  ) {
    throw new ServiceError(
      3007,
      `A project name has 1 to ${NAME_LENGTH_MAX} characters, some of them letters or digits.`,
    );
  }
  return name;
}

/** The tag of a project with controlled data. */
const CONTROLLED_TAG = 'tcga';

/**
 * A project with open data has no tags, one with controlled data has `tcga` among them (API document, Project).
 *
 * @throws ServiceError 90000
 */
export function checkProjectTags(tags: readonly string[] | null | undefined): readonly string[] {
  if (tags && tags.length > 0 && !tags.includes(CONTROLLED_TAG)) {
    throw new ServiceError(90000, `A project has no tags, or \`${CONTROLLED_TAG}\` among them.`);
  }
  return tags ?? [];
}

/** Settings as they are shown: the tag, too, makes a project's data controlled. */
export function shownSettings(settings: ProjectSettings, tags: readonly string[]): ProjectSettings {
  return { ...settings, controlled: settings.controlled || tags.includes(CONTROLLED_TAG) };
}

/** The part of a project's id that comes from its name: lower case, `-` for spaces and `_`, nothing else special. */
export function shortNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/^-+|-+$/g, '');
}

export function mergeSettings(present: ProjectSettings, edit: ProjectSettingsEdit): ProjectSettings {
  const { intermediate_files, ...rest } = edit;
  return {
    ...present,
    ...rest,
    intermediate_files: { ...present.intermediate_files, ...intermediate_files },
  };
}
