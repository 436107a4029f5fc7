import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { type Finding, fault, ok } from '../../finding.ts';
import { asRoot, isRoot } from '../as-root.ts';

const CHECK = 'fusermount3';
const SETUID = 0o4000;
const ANYBODY_RUNS = 0o001;
/** CAP_SYS_ADMIN of capabilities(7), by which root mounts. */
const MAY_MOUNT = 1n << 21n;

export interface HelperPlaces {
  readonly path: string;
  /** proc_pid_status(5) of this process. */
  readonly status: string;
  readonly configuration: string;
  readonly asRoot: boolean;
}

function usual(): HelperPlaces {
  return {
    path: process.env['PATH'] ?? '',
    status: '/proc/self/status',
    configuration: '/etc/fuse.conf',
    asRoot: isRoot(),
  };
}

/** The program by which ordinary users mount, and what keeps it from doing so. `allowOther`: the mount is for other users as well. */
export async function checkFusermount(
  { allowOther }: { readonly allowOther: boolean },
  places: HelperPlaces = usual(),
): Promise<readonly Finding[]> {
  const status = await readFile(places.status, 'utf8').catch(() => '');
  const capabilities = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  if (places.asRoot && (capabilities & MAY_MOUNT) !== 0n)
    return [ok(CHECK, 'not needed: root mounts itself')];
  if (places.asRoot)
    return [
      fault('mount', 'this container lets root mount nothing', {
        remedy: '# start the container with --device /dev/fuse --cap-add SYS_ADMIN',
      }),
    ];
  const helper = await findProgram('fusermount3', places.path);
  return [
    helper === undefined ? missing() : await rightsOf(helper, status),
    ...(allowOther ? [await checkSharing(places.configuration)] : []),
  ];
}

function missing(): Finding {
  return fault(CHECK, 'not found, and an ordinary user mounts by it', {
    remedy: asRoot('apt-get install fuse3'),
  });
}

async function rightsOf(helper: string, status: string): Promise<Finding> {
  const { mode, uid } = await stat(helper);
  if ((mode & SETUID) === 0 || uid !== 0)
    return fault(CHECK, `${helper} does not run as root`, {
      remedy: `${asRoot(`chown root ${helper}`)} && ${asRoot(`chmod 4755 ${helper}`)}`,
    });
  if ((mode & ANYBODY_RUNS) === 0)
    return fault(CHECK, `${helper} is for some users only`, { remedy: asRoot(`chmod o+x ${helper}`) });
  if (/^NoNewPrivs:\s*1$/m.test(status))
    return fault(CHECK, `${helper} cannot become root here (no_new_privs)`, {
      remedy: '# leave out NoNewPrivileges= of the unit, or no-new-privileges of the container',
    });
  return ok(CHECK, helper);
}

/** fuse.conf(5) of the mount's own options. */
async function checkSharing(configuration: string): Promise<Finding> {
  const text = await readFile(configuration, 'utf8').catch(() => '');
  if (/^\s*user_allow_other\s*$/m.test(text)) return ok('allow-other', `${configuration} allows it`);
  return fault('allow-other', `${configuration} lets ordinary users share no mount`, {
    remedy: `echo user_allow_other | ${asRoot(`tee -a ${configuration}`)}`,
  });
}

/** The first of that name in the directories of `path`. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(':').filter(isAbsolute)) {
    const candidate = join(directory, name);
    if ((await stat(candidate).catch(() => undefined))?.isFile() === true) return candidate;
  }
  return undefined;
}
