import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { arch, release, type } from 'node:os';
import { join } from 'node:path';
import { isSvcfs, mountedBelow } from '../../fuse/mount-table.ts';
import { packageVersion } from '../package-version.ts';

/** A program that looks into the mount is given up by then, and not waited for. */
const LOOK_MS = 2000;
const MOST_BYTES = 4 * 1024 * 1024;

export function versions(): object {
  const { node, v8, uv, openssl } = process.versions;
  return { svcfs: packageVersion(), node, v8, uv, openssl, system: type(), kernel: release(), arch: arch() };
}

/** The mounts of FUSE, and how many there are of other types. */
export async function mountTable(): Promise<object> {
  const mounts = await mountedBelow('');
  const fuse = mounts.filter((mount) => mount.type.startsWith('fuse'));
  const others: Record<string, number> = {};
  for (const mount of mounts.filter((each) => !fuse.includes(each)))
    others[mount.type] = (others[mount.type] ?? 0) + 1;
  const told = await Promise.all(
    fuse.map(async (mount) => ({
      mountPoint: mount.mountPoint,
      type: mount.type,
      userId: mount.userId,
      // Requests that the kernel waits for; only the owner of the mount sees it.
      waiting: isSvcfs(mount)
        ? await textAt(`/sys/fs/fuse/connections/${mount.deviceMinor}/waiting`)
        : undefined,
    })),
  );
  return { fuse: told, others };
}

export interface Thread {
  readonly pid: number;
  readonly thread: number;
  /** Of the program; no arguments, which may hold anything. */
  readonly program: string;
  readonly state: string;
  /** The function of the kernel in which it waits. */
  readonly wchan: string;
  /** Only root may see it. */
  readonly stack: readonly string[];
}

/** Where the threads of a process stand, and those of any program that waits in the kernel for a mount. */
export async function threads(daemon: number | undefined): Promise<readonly Thread[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => threadsOf(pid)));
  return found
    .flat()
    .filter(({ pid, state, wchan }) => pid === daemon || state === 'D' || /fuse|request_wait/.test(wchan));
}

async function threadsOf(pid: number): Promise<readonly Thread[]> {
  const names = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const at = `/proc/${pid}/task/${name}`;
      const [status, wchan, stack] = await Promise.all(
        ['status', 'wchan', 'stack'].map((each) => textAt(join(at, each))),
      );
      return {
        pid,
        thread: Number(name),
        program: /^Name:\s*(.*)$/m.exec(status ?? '')?.[1] ?? '',
        state: /^State:\s*(\S)/m.exec(status ?? '')?.[1] ?? '',
        wchan: wchan ?? '',
        stack: (stack ?? '').split('\n').filter((line) => line !== ''),
      };
    }),
  );
}

/** A file of the mount itself; undefined when it does not come in time. Another program reads it: that may wait for ever. */
export function readInMount(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { cwd: '/', maxBuffer: MOST_BYTES };
    const child = execFile('cat', [path], options, (error, text) => done(error === null ? text : undefined));
    const timer = setTimeout(() => done(undefined), LOOK_MS);
    function done(text: string | undefined): void {
      clearTimeout(timer);
      resolve(text);
      // The kernel may keep it until the mount answers.
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
    }
  });
}

/** What is in the state directory of a mount, and how large; the files of uploads go by their ids. */
export async function stateFiles(root: string): Promise<readonly object[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const facts = await stat(path).catch(() => undefined);
      return { path: path.slice(root.length + 1), isFile: entry.isFile(), bytes: facts?.size };
    }),
  );
}

/** Variables that svcfs reads, without those that hold a token or a password. */
export function environment(hidden: ReadonlySet<string>): Readonly<Record<string, string>> {
  const ours = /^(SVC|SVCFS|SB|XDG|NODE)_|_PROXY$|^(PATH|TMPDIR)$/i;
  return Object.fromEntries(
    Object.entries(process.env)
      .filter(([name]) => ours.test(name))
      .map(([name, value = '']) => [
        name,
        hidden.has(name) || /TOKEN|SECRET|KEY|PASSWORD/i.test(name) ? '[redacted]' : value,
      ]),
  );
}

export function descriptorsOf(pid: number): Promise<Readonly<Record<string, number>>> {
  return readdir(`/proc/${pid}/fd`).then(
    async (names) => {
      const counts: Record<string, number> = {};
      for (const name of names) {
        const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '?');
        const kind = target.replace(/:.*$/, '').replace(/^\/.*$/, 'file');
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
      return counts;
    },
    () => ({}),
  );
}

function textAt(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}
