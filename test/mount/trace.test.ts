/** Operations live, of real programs on one mount: each of them, and all of them counted. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import type { TraceEvent } from '../../src/cli/mount/trace/trace-event.ts';
import type { BackgroundProcess } from '../support/background-process.ts';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { Terminal } from '../support/terminal.ts';
import { waitUntil } from '../support/wait-until.ts';

let served: ServedMount;
let folder: string;
beforeAll(async () => {
  served = await ServedMount.start();
  folder = served.path('projects/demo/rna-seq-study/traced');
  await mkdir(folder);
});
afterAll(() => served?.clean());

/** A trace that has begun. */
async function tracing(...words: readonly string[]): Promise<BackgroundProcess> {
  const trace = served.sandbox.start(['trace', ...words]);
  await waitUntil(() => trace.stderr.includes('tracing'));
  return trace;
}

const eventsOf = ({ stdout }: BackgroundProcess): readonly TraceEvent[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

it('tells who did what to which path, with the reason of an error and the requests it cost', async () => {
  const trace = await tracing('--json', served.sandbox.mountPoint);
  await shell(`echo hello > a; mv a b; cat b > /dev/null; ! mkdir ${served.path('projects/new')}`, {
    cwd: folder,
  });
  await waitUntil(() => trace.stdout.includes('"mkdir"'));
  const inside = '/projects/demo/rna-seq-study/traced';
  const events = eventsOf(trace);
  const find = (operation: RegExp, path: string): TraceEvent | undefined =>
    events.findLast((event) => operation.test(event.operation) && event.path === path);
  expect(find(/^write$/, `${inside}/a`)).toMatchObject({
    result: 6,
    detail: '6@0',
    errno: null,
    requests: 0,
  });
  expect(find(/^flush$/, `${inside}/a`)?.requests).toBeGreaterThan(0);
  const rename = find(/^rename/, `${inside}/a`);
  expect(rename).toMatchObject({ program: 'mv', target: `${inside}/b`, errno: null });
  expect(rename?.requests).toBeGreaterThan(0);
  expect(find(/^mkdir$/, '/projects/new')).toMatchObject({
    program: 'mkdir',
    errno: 'EPERM',
    reason: expect.stringContaining('svcfs project create'),
  });
  await trace.end();
});

it('tells of one path only, as text, and ends when nobody reads it any more', async () => {
  const script = `"$@" | head -n 1`;
  const { env } = served.sandbox;
  const [node, main] = [process.execPath, join(import.meta.dirname, '../../dist/cli/main.js')];
  const pipe = served.sandbox.startProgram(
    'sh',
    ['-c', script, 'sh', node, main, 'trace', join(folder, 'b')],
    env,
  );
  await waitUntil(() => pipe.stderr.includes('tracing'));
  await waitUntil(async () => {
    await shell('cat b; touch c', { cwd: folder });
    return !pipe.running;
  });
  expect(pipe.stdout).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} \w+\[\d+\] \w+ \/projects\/\S+\/traced\/b .*= .* <.* ms.*>\n$/,
  );
});

it('tells of one process, and ends with it', async () => {
  const stop = join(served.sandbox.root, 'stop');
  const loop = `i=0; until [ -e ${stop} ]; do i=$((i + 1)); [ -e ${folder}/looked-for-$i ]; sleep 0.05; done`;
  const program = served.sandbox.startProgram('sh', ['-c', loop]);
  const trace = await tracing('--pid', String(program.pid));
  await shell('stat b; stat other || true', { cwd: folder });
  await trace.says(/looked-for-\d+ = ENOENT/);
  await shell(`touch ${stop}`);
  await waitUntil(() => !trace.running);
  expect(trace.stderr).toContain(`process ${program.pid} has ended\n`);
  expect(trace.stdout).not.toContain('/traced/other');
});

it('refuses what is in no mount, and a process that is not there', async () => {
  const svcfs = (...words: readonly string[]) => served.sandbox.svcfs(['trace', ...words]);
  expect(await svcfs('/usr')).toMatchObject({
    code: EXIT_CODES.notMounted.code,
    stderr: 'svcfs: /usr: not in a mount of svcfs\n',
  });
  expect(await svcfs('--pid', '4194304')).toMatchObject({
    code: EXIT_CODES.usage.code,
    stderr: 'svcfs: --pid 4194304: there is no such process\n',
  });
  expect(await svcfs('--slow', 'much')).toMatchObject({ code: EXIT_CODES.usage.code });
});

it('names the programs that spend the request limit', async () => {
  const { programs } = await served.sandbox.statistics();
  expect(programs.map(({ command }) => command)).toEqual(expect.arrayContaining(['mv', 'svcfs']));
});

it('top prints one block to a pipe', async () => {
  await shell('cat b > /dev/null', { cwd: folder });
  const { code, stdout } = await served.sandbox.svcfs([
    'top',
    '--interval',
    '0.2',
    served.sandbox.mountPoint,
  ]);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^svcfs top \S/) });
  expect(stdout).toMatch(/^OPERATION .* REQUESTS OF +PID/m);
  expect(stdout).toMatch(/ svcfs +- +\d/);
  expect(stdout).not.toContain('\x1b');
  expect(await served.sandbox.svcfs(['top', '/usr'])).toMatchObject({ code: EXIT_CODES.notMounted.code });
});

it.each(['q', '\x03', 'SIGTERM'] as const)('top leaves the terminal as it was, by %j', async (how) => {
  const [node, main] = [process.execPath, join(import.meta.dirname, '../../dist/cli/main.js')];
  const record = join(served.sandbox.root, 'pid');
  const top = `sh -c 'echo $$ > ${record}; exec ${node} ${main} top --interval 0.2 ${served.sandbox.mountPoint}'`;
  const terminal = new Terminal(
    `sh -c "${top.replaceAll('$', '\\$')}; echo over \\$?"`,
    served.sandbox.env,
    40,
  );
  onTestFinished(() => terminal.end());
  expect(await terminal.shows(/OPERATION/)).toContain('[?1049h');
  terminal.type('h');
  await terminal.shows(/Keys of svcfs top/);
  if (how === 'SIGTERM') process.kill(Number(await readFile(record, 'utf8')), how);
  else terminal.type(how);
  await terminal.shows(/\[\?25h.\[\?1049l[\s\S]*over (0|143)/);
});

it('ends with the mount, and keeps it from nothing', async () => {
  const trace = await tracing();
  await served.unmount();
  await waitUntil(() => !trace.running);
  expect(trace.stderr).toMatch(/is unmounted\n$/);
});
