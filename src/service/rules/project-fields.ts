import type { ProjectSettings, ProjectSettingsEdit } from '../../contract/project.ts';
import { STORAGE_LOCATION } from '../service-config.ts';
import { ServiceError } from '../service-error.ts';
import { isStorableText } from './storable-text.ts';

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
