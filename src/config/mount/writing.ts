import type { Option } from '../option.ts';
import { parseCountFrom, parseSizeFrom, parseSizeWithin } from '../option-text.ts';

const writeBack: Option<boolean> = {
  flags: '--write-back',
  help:
    'let close return when the file is safe on this machine, and upload it afterwards; setfattr, chmod and touch too ' +
    '(svcfs flush waits for that)',
  environment: 'SVCFS_WRITE_BACK',
  default: false,
};

const partSize: Option<number> = {
  flags: '--part-size <size>',
  help:
    'size of the parts in which a file is uploaded, from 5M to 4G. Each part is a request: larger parts get more bytes ' +
    "through the service's rate limit, smaller ones let small files upload in parallel. A file that is begun while " +
    'requests are short gets parts up to four times as large, if memory has room for sixteen',
  environment: 'SVCFS_PART_SIZE',
  default: 16 * 2 ** 20,
  defaultText: '16M',
  parse: parseSizeWithin('5M', {
    bytes: () => 4 * 2 ** 30,
    why: 'for a part is sent from one piece of memory',
  }),
};

const uploads: Option<number | undefined> = {
  flags: '--uploads <count>',
  help: 'parts in flight to the store at once, over all files',
  environment: 'SVCFS_UPLOADS',
  default: undefined,
  defaultText: 'as many as make it faster',
  parse: parseCountFrom(1, 64),
};

/** The part that is being written and one that is being sent. */
const SMALLEST_SPOOL = '32M';

const spoolSize: Option<number | undefined> = {
  flags: '--spool-size <size>',
  help:
    `disk space for files being written, at least ${SMALLEST_SPOOL}. At the limit, writers wait until another file is ` +
    'finished; when all would wait, one goes on beyond it (two parts at most). A file larger than the limit can only be ' +
    'written from start to end',
  environment: 'SVCFS_SPOOL_SIZE',
  default: undefined,
  defaultText: 'what the disk has beyond --cache-min-free',
  parse: parseSizeFrom(SMALLEST_SPOOL),
};

const md5Sum: Option<boolean> = {
  flags: '--md5-sum',
  help: 'store the MD5 of each written file as its metadata md5_sum',
  environment: 'SVCFS_MD5_SUM',
  default: false,
};

const onKilled: Option<'publish' | 'recover'> = {
  flags: '--on-killed <what>',
  help:
    'what becomes of a file whose writer is killed by a signal. publish: it appears with what was written. ' +
    'recover: the bytes are kept aside on this machine (svcfs recover)',
  environment: 'SVCFS_ON_KILLED',
  default: 'publish',
  choices: ['publish', 'recover'],
};

const unkept: Option<'ignore' | 'refuse'> = {
  flags: '--unkept <what>',
  help:
    'what happens when a program sets an attribute that the platform cannot store, such as the owner, time or mode of a ' +
    'volume object. ignore: the mount forgets it, and svcfs status counts it. refuse: the program gets EPERM',
  environment: 'SVCFS_UNKEPT',
  default: 'ignore',
  choices: ['ignore', 'refuse'],
};

// The parser has a flag of the form `--no-NAME` for a value NAME that is true without it.
const deletes: Option<boolean> = {
  flags: '--no-delete',
  help: 'remove nothing from the platform, whose deletions are final: rm and rmdir get EPERM',
  environment: 'SVCFS_NO_DELETE',
  default: true,
  defaultText: 'removals are possible',
};

const overwrites: Option<boolean> = {
  flags: '--no-overwrite',
  help:
    'replace no file that is on the platform: opening one to write it, and renaming over it, get EPERM. Implies ' +
    '--conflict fail',
  environment: 'SVCFS_NO_OVERWRITE',
  default: true,
  defaultText: 'replacements are possible',
};

const trash: Option<number | undefined> = {
  flags: '--trash <days>',
  help:
    'move what is removed or replaced to .svcfs-trash of its project, and delete it after this many days (svcfs trash). Its ' +
    'members see it there, it takes room, and only a running mount with this option empties it',
  environment: 'SVCFS_TRASH',
  default: undefined,
  defaultText: 'what is removed is gone',
  parse: parseCountFrom(1, 3650),
};

const confirmDelete: Option<number | undefined> = {
  flags: '--confirm-delete <count>',
  help:
    'have a person confirm that a program removes more than this many files and folders within a minute: the others get ' +
    'EPERM until svcfs allow is run. A program is a process group, as a shell makes one for each pipeline',
  environment: 'SVCFS_CONFIRM_DELETE',
  default: undefined,
  defaultText: 'programs remove any number',
  parse: parseCountFrom(0, 100_000),
};

/** How files reach the platform. */
export const WRITING = {
  writeBack,
  partSize,
  uploads,
  spoolSize,
  md5Sum,
  onKilled,
  unkept,
  delete: deletes,
  overwrite: overwrites,
  trash,
  confirmDelete,
} as const;
