/** `svcfs mount --read-only`: every system call that would change something is refused, and nothing reaches the service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start();
  await shell(`cd ${world.own()}; mkdir folder; echo text > file; setfattr -n user.key -v value file`);
  await world.remount(['--read-only']);
});
afterAll(() => world?.clean());

/** Each call, and what it answers. */
const CALLS = `
import errno, os, sys
os.chdir(sys.argv[1])
reading = os.open('file', os.O_RDONLY)
calls = {
  'open for writing': lambda: os.open('file', os.O_WRONLY),
  'open and truncate': lambda: os.open('file', os.O_RDONLY | os.O_TRUNC),
  'create': lambda: os.open('new', os.O_CREAT | os.O_WRONLY),
  'mknod': lambda: os.mknod('new'),
  'mkdir': lambda: os.mkdir('new'),
  'symlink': lambda: os.symlink('file', 'new'),
  'link': lambda: os.link('file', 'new'),
  'unlink': lambda: os.unlink('file'),
  'rmdir': lambda: os.rmdir('folder'),
  'rename': lambda: os.rename('file', 'new'),
  'rename a folder': lambda: os.rename('folder', 'new'),
  'truncate': lambda: os.truncate('file', 1),
  'chmod': lambda: os.chmod('file', 0o600),
  'fchmod': lambda: os.fchmod(reading, 0o600),
  'chown': lambda: os.chown('file', 1, 1),
  'utime': lambda: os.utime('file', (1, 1)),
  'utime of a folder': lambda: os.utime('folder', (1, 1)),
  'setxattr': lambda: os.setxattr('file', 'user.key', b'other'),
  'removexattr': lambda: os.removexattr('file', 'user.key'),
}
for name, call in calls.items():
  try:
    call()
    print(name, 'succeeded')
  except OSError as error:
    print(name, errno.errorcode[error.errno])
`;

it('answers EROFS to every call that changes something, and asks the service for none', async () => {
  const before = world.proxy.requests.length;
  const answers = (await mustRun('python3', ['-c', CALLS, world.own()])).trim().split('\n');
  expect(answers).toHaveLength(19);
  expect(answers.filter((answer) => !answer.endsWith(' EROFS'))).toEqual([]);
  const methods = world.proxy.requests.slice(before).map(({ method }) => method);
  expect(methods.filter((method) => method !== 'GET')).toEqual([]);
});

it('reads as any mount', async () => {
  expect(await shell(`cd ${world.own()}; cat file; getfattr --only-values -n user.key file`)).toBe(
    'text\nvalue',
  );
});
