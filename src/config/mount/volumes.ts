import type { Option } from '../option.ts';
import { parseNamePatterns, parseSeconds, parseStagingPlace } from '../option-text.ts';
import { TEMPORARY_IN_PROJECTS, TEMPORARY_NAMES } from '../temporary-names.ts';

const stagingProject: Option<string | undefined> = {
  flags: '--staging-project <owner/name[/folder]>',
  help:
    'project and folder (.svcfs-staging unless named) through which programs write to volumes; ' +
    'without it a volume takes only what cp and mv bring from a project',
  environment: 'SVCFS_STAGING_PROJECT',
  default: undefined,
  parse: parseStagingPlace,
};

const temporaryNames: Option<readonly string[] | undefined> = {
  flags: '--temporary-names <patterns>',
  help:
    'patterns, separated by commas, of names that tools use for a moment: such a file stays on this machine until ' +
    'it is renamed or removed; in a project it is uploaded under its own name after 60 s; "" for none',
  environment: 'SVCFS_TEMPORARY_NAMES',
  default: undefined,
  defaultText: `in projects ${TEMPORARY_IN_PROJECTS.join(', ')}; in volumes ${TEMPORARY_NAMES.join(', ')}`,
  parse: parseNamePatterns,
};

const exportDelay: Option<number | undefined> = {
  flags: '--export-delay <seconds>',
  help:
    'how long svcfs waits after the last close of a file in a volume before it makes the object, which can be neither ' +
    'renamed nor removed; needs --write-back',
  environment: 'SVCFS_EXPORT_DELAY',
  default: undefined,
  defaultText: '5 with --write-back; else close makes the object',
  parse: parseSeconds,
};

const afterExport: Option<'keep' | 'remove'> = {
  flags: '--after-export <what>',
  help: 'what mv leaves of a project file that it exported to a volume. keep: an alias of the object. remove: nothing',
  environment: 'SVCFS_AFTER_EXPORT',
  default: 'keep',
  choices: ['keep', 'remove'],
};

const aliasWrite: Option<'refuse' | 'copy'> = {
  flags: '--alias-write <what>',
  help:
    'what happens when a program opens an alias (a project file whose bytes are an object of a volume) for writing. ' +
    'refuse: it gets EPERM. copy: the alias becomes a file of its own with a copy of the bytes',
  environment: 'SVCFS_ALIAS_WRITE',
  default: 'refuse',
  choices: ['refuse', 'copy'],
};

const renameWait: Option<number | undefined> = {
  flags: '--rename-wait <seconds>',
  help: 'how long mv waits for its job before it fails with EINTR; the job goes on (svcfs jobs)',
  environment: 'SVCFS_RENAME_WAIT',
  default: undefined,
  defaultText: 'as long as it takes',
  parse: parseSeconds,
};

/** How programs write to volumes, and how a move between a project and a volume goes. */
export const VOLUMES = {
  stagingProject,
  temporaryNames,
  exportDelay,
  afterExport,
  aliasWrite,
  renameWait,
} as const;
