import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { canSandbox } from '../../src/service/engines/cwltool/sandbox.ts';
import { TaskWorld } from './task-world.ts';
import { SECRET_KEY, TestService, type TestUser } from './test-service.ts';

const MIB = 1024 * 1024;

let service: TestService;
let alice: TestUser;
let world: TaskWorld;
let count = 0;

beforeAll(async () => {
  const instances = [
    { name: 'local', price: '36', interruptiblePrice: '18' },
    { name: 'small', price: '3.6', interruptiblePrice: '3.6', memoryBytes: 300 * MIB },
  ] as const;
  service = await TestService.start({ workers: true, tasks: { executor: 'cwltool', instances } });
  alice = await service.user('alice');
});
beforeEach(async () => {
  count += 1;
  world = await TaskWorld.make(alice, `Bounds ${count}`);
});
afterAll(() => service.stop());

/** The output that a tool printed. */
async function printed(task: { outputs: { made: { path: string } | null } }): Promise<string> {
  return world.text(task.outputs.made?.path ?? '');
}

const PRINTS = { outputs: [{ id: 'made', type: 'stdout' }], stdout: 'made.txt' };

describe('a tool', () => {
  test('sees nothing of the service, of its user, or of the machine’s sockets, and writes nowhere else', async () => {
    const looks = [
      'ls -A $1',
      'ls -A ~root $HOME',
      'ls -A /run',
      'touch /etc/x 2>&1 || true',
      'env',
      'ps ax | wc -l',
    ];
    const app = await world.script(looks.join('; echo --; '), {
      ...PRINTS,
      inputs: [{ id: 'data', type: 'string', inputBinding: {} }],
    });
    const task = await world.ended(await world.run(app, { data: service.dataDir }));
    const [data, home, run, touched, variables, processes] = (await printed(task)).split('--\n');
    expect(data?.trim()).toBe('tasks');
    expect(home).not.toMatch(/\.(npm|cache|ssh)/);
    expect(run).toBe('');
    expect(touched).toMatch(/Read-only file system/);
    expect(variables).not.toMatch(/^(SVCFS|VITEST|NODE)/m);
    expect(Number(processes)).toBeLessThan(15);
  });
});

test('a tool does not see the directory of a file of keys, nor data that a link leads to', async () => {
  const place = dirSync({ prefix: 'svcfs-bounds', unsafeCleanup: true, tmpdir: '/var/tmp' });
  onTestFinished(() => place.removeCallback());
  const [keys, real, linked] = ['etc', 'real', 'linked'].map((name) => join(place.name, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(keys);
  await mkdir(real);
  await symlink(real, linked);
  const file = join(keys, 'secret-keys');
  await writeFile(file, `${SECRET_KEY}\n`, { mode: 0o600 });
  const linkedService = await TestService.start({
    dataDir: linked,
    secretKeys: { file },
    workers: true,
    tasks: { executor: 'cwltool' },
  });
  onTestFinished(() => linkedService.stop());
  const own = await TaskWorld.make(await linkedService.user('bob'));
  const app = await own.script('ls -A $1; echo --; ls -A $2', {
    ...PRINTS,
    inputs: ['data', 'keys'].map((id) => ({ id, type: 'string', inputBinding: {} })),
  });
  const task = await own.ended(await own.run(app, { keys, data: linked }));
  expect(task).toMatchObject({ status: 'COMPLETED' });
  expect(await own.text(task.outputs.made.path)).toBe('tasks\n--\n');
});

test('an account without a home can run tasks, for there is nothing to hide', async () => {
  vi.stubEnv('HOME', '/nowhere/at/all');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await canSandbox()).toBe(true);
});

describe('what a tool puts in the place of', () => {
  /** In a script: goes to the directory of the run. */
  const toOwn = `cd "$(awk '$5 ~ "/tasks/" {print $5; exit}' /proc/self/mountinfo)"`;

  test.each([
    ['a link to a file of the service', 'ln -s ../../../signing-key task.log'],
    ['a named pipe', 'mkfifo task.log'],
    ['nothing', 'true'],
  ])('its log is not read: %s', async (_, put) => {
    const app = await world.script(`echo said >&2; ${toOwn}; rm -f task.log; ${put}`);
    const task = await world.ended(await world.run(app));
    expect(task.status).toBe('COMPLETED');
    expect(await world.log(task.id)).toMatch(/^said$/m);
  });

  test('what tells of its outputs is not read', async () => {
    await writeFile(join(service.dataDir, 'told.json'), '{"made":"by the service"}');
    const app = await world.script(`${toOwn}; ln -s ../../../told.json outputs.json`, {
      outputs: [{ id: 'made', type: 'string?' }],
    });
    expect(await world.ended(await world.run(app))).toMatchObject({
      status: 'FAILED',
      errors: ['The task has taken away what tells of its outputs.'],
      outputs: { made: null },
    });
  });

  test('the directory of its outputs is not read', async () => {
    const app = await world.script(
      `echo mine > signing-key; ${toOwn}; rmdir outputs; ln -s ../../.. outputs`,
      {
        outputs: [{ id: 'made', type: 'File', outputBinding: { glob: 'signing-key' } }],
      },
    );
    expect(await world.ended(await world.run(app))).toMatchObject({
      status: 'FAILED',
      errors: [expect.stringMatching(/is no file that the task has made/)],
      outputs: { made: null },
    });
  });
});

describe('a task fails', () => {
  test('when its tool does, and says with what; nothing it made is shown', async () => {
    const app = await world.script('echo half > half; echo reason >&2; exit 7', {
      outputs: [{ id: 'half', type: 'File', outputBinding: { glob: 'half' } }],
    });
    const task = await world.ended(await world.run(app));
    const message = 'The tool app1 ended with exit status 7.';
    expect(task).toMatchObject({ status: 'FAILED', errors: [message], outputs: { half: null } });
    expect(task.execution_status.message).toContain(message);
    expect(Number(task.price.amount)).toBeGreaterThan(0);
    expect(await world.names()).toEqual(['__logs']);
    expect(await world.log(task.id)).toMatch(/^reason$/m);
  });

  test('when its app cannot be understood', async () => {
    const app = await world.install({
      class: 'CommandLineTool',
      inputs: {},
      outputs: {},
      baseCommand: { no: 1 },
    });
    const task = await world.ended(await world.run(app));
    expect(task).toMatchObject({ status: 'FAILED', errors: [expect.stringMatching(/validation/)] });
  });

  test('when the app demands a container and there is none to run it', async () => {
    const docker = { class: 'DockerRequirement', dockerPull: 'debian:12' };
    const demanded = await world.script('true', { requirements: [docker] });
    expect(await world.ended(await world.run(demanded))).toMatchObject({
      status: 'FAILED',
      errors: ['The app needs a container (debian:12), and this service runs none.'],
    });
    const wished = await world.script('true', { hints: [docker] });
    expect(await world.ended(await world.run(wished))).toMatchObject({
      status: 'COMPLETED',
      warnings: ['It ran without the container it asks for: debian:12.'],
    });
  });

  test('when it takes more memory than its instance has', async () => {
    const app = await world.script(`python3 -c 'import time; x = b"x" * (500 * 2 ** 20); time.sleep(60)'`);
    const settings = { execution_settings: { instance_type: 'small' } };
    const task = await world.ended(await world.run(app, {}, settings));
    expect(task).toMatchObject({
      status: 'FAILED',
      errors: ['The task used more memory than the 300 MiB of its instance.'],
    });
  });

  test('not begun: when there is no such instance type it is refused at once', async () => {
    const execution_settings = { instance_type: 'huge' };
    const app = await world.script('true');
    const wanted = {
      status: 400,
      body: { code: 7024, message: expect.stringContaining('local, small') },
    };
    expect(await alice.post('/tasks', { project: world.project, app, execution_settings })).toMatchObject(
      wanted,
    );
    const { id } = (await alice.post('/tasks', { project: world.project, app })).body;
    expect(await alice.call('PATCH', `/tasks/${id}`, { body: { execution_settings } })).toMatchObject(wanted);
  });
});

describe('the network', () => {
  const script = 'tail -n +3 /proc/net/dev | cut -d: -f1 | xargs';

  test('is out of reach in a project that does not allow it', async () => {
    const task = await world.ended(await world.run(await world.script(script, PRINTS)));
    expect(await printed(task)).toBe('lo\n');
  });

  test('is there in one that does', async () => {
    await alice.call('PATCH', `/projects/${world.project}`, {
      body: { settings: { allow_network_access: true } },
    });
    const task = await world.ended(await world.run(await world.script(script, PRINTS)));
    const own = await networkInterfaces();
    expect(await printed(task)).toBe(`${own}\n`);
  });
});

async function networkInterfaces(): Promise<string> {
  const lines = (await readFile('/proc/net/dev', 'utf8')).trim().split('\n').slice(2);
  return lines.map((line) => line.split(':')[0]?.trim()).join(' ');
}
