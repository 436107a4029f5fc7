/** Tasks at the command line and as files of a mount, on a service that runs them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const PROJECT = 'demo/trio-exomes';
const APP = `${PROJECT}/sum`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--executor', 'cwltool'] });
  await post(`/apps/${APP}/raw`, {
    cwlVersion: 'v1.2',
    class: 'CommandLineTool',
    baseCommand: ['sh', '-c', 'cat "$@" | wc -c; [ "$0" != slow ] || sleep 600; [ "$0" != bad ]'],
    inputs: [
      { id: 'mode', type: 'string', inputBinding: { position: 1 } },
      { id: 'texts', type: 'File[]', inputBinding: { position: 2 } },
      { id: 'limit', type: 'int?' },
    ],
    outputs: [{ id: 'size', type: 'stdout' }],
    stdout: 'size.txt',
  });
});
afterAll(() => served?.clean());

async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${served.endpoint}${path}`, {
    method: 'POST',
    headers: { 'X-SVC-Auth-Token': served.token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const env = () => ({ SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token });
/** In a directory of this machine: through the only mount there is. */
const tasks = (...args: string[]) =>
  served.sandbox.svcfs(['tasks', ...args], { cwd: served.sandbox.root, env: env() });

const changes = (counted: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counted).filter(([call, count]) => count > 0 && /task|app/.test(call)));

describe('svcfs tasks create', () => {
  test('makes a draft of paths in a mount, of the platform and ids, in one call, after looking', async () => {
    const readme = served.path(`projects/${PROJECT}/README.md`);
    await writeFile(readme, 'four');
    const texts = [
      { class: 'File', path: readme },
      `project:${PROJECT}/README.md`,
      '../mnt/projects/demo/trio-exomes/README.md',
    ];
    const job = join(served.sandbox.root, 'home', 'job.json');
    await writeFile(job, JSON.stringify({ mode: 'good', texts, limit: 1 }));
    let directory = '';
    const counted = await served.countingCalls(async () => {
      const { stdout, stderr, code } = await tasks(
        'create',
        APP,
        '--inputs',
        job,
        '-i',
        'limit=2',
        '--name',
        'Sum',
      );
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      directory = stdout.trim();
    });
    expect(directory).toMatch(new RegExp(`^${served.path('tasks', PROJECT)}/Sum~[0-9a-f]{8}$`));
    const id = JSON.parse(await readFile(join(directory, 'task.json'), 'utf8')).id;
    expect(id).toMatch(UUID);
    expect(changes(counted)).toEqual({ 'GET /v2/apps/:owner/:project/:app': 1, 'POST /v2/tasks': 1 });
    const shown = JSON.parse((await tasks('show', '--json', id)).stdout);
    expect(shown).toMatchObject({ name: 'Sum', status: 'DRAFT', app: `${APP}/0`, project: PROJECT });
    expect(shown.inputs.limit).toBe(2);
    expect(shown.inputs.texts).toMatchObject([0, 1, 2].map(() => ({ class: 'File', name: 'README.md' })));
    const [{ path: file }] = shown.inputs.texts;
    const again = await tasks(
      'create',
      APP,
      '-i',
      `texts=${file}`,
      '-i',
      'texts=000000000000000000000000',
      '-i',
      'mode=x',
    );
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('port texts[1]: expects File, got 000000000000000000000000: ');
  });

  test('tells all that does not fit, and makes no task', async () => {
    const counted = await served.countingCalls(async () => {
      const args = [
        '-i',
        'texts=/etc/passwd',
        '-i',
        `texts=project:${PROJECT}/child`,
        '-i',
        'limt=3',
        '-i',
        'limit=x',
      ];
      const { stdout, stderr, code } = await tasks(
        'create',
        APP,
        ...args,
        '-i',
        `texts=project:${PROJECT}/none`,
      );
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr.split('\n')).toEqual([
        'svcfs: port limt: the app has no such input; there is limit, mode, texts',
        'svcfs: port mode: expects string, got nothing',
        'svcfs: port limit: expects int, got the text "x"',
        'svcfs: port texts[0]: expects File, got /etc/passwd: not on the platform: copy it into a project first',
        `svcfs: port texts[1]: expects File, got project:${PROJECT}/child: a folder`,
        `svcfs: port texts[2]: expects File, got project:${PROJECT}/none: no such file or directory`,
        `svcfs: no task was made: 6 of the inputs of ${APP}/0 do not fit`,
        '',
      ]);
    });
    expect(counted['POST /v2/tasks'] ?? 0).toBe(0);
  });

  test.each([
    [['no-app'], /^svcfs: no-app: no app: write OWNER\/PROJECT\/APP/, 2],
    [[`${APP}/9`], /^svcfs: demo\/trio-exomes\/sum\/9: there is no such app or revision/, 1],
    [[APP, '--inputs', 'none.json'], /^svcfs: none.json: cannot be read \(ENOENT\)/, 2],
    [[APP, '-i', 'limit'], /^svcfs: -i limit: write it as PORT=VALUE/, 2],
    [[APP, '--wait'], /^svcfs: --wait needs --run/, 2],
  ])('%j is refused', async (args, message, code) => {
    expect(await tasks('create', ...args)).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });
});

const create = async (mode: string): Promise<string> => {
  const inputs = ['-i', `mode=${mode}`, '-i', `texts=project:${PROJECT}/README.md`];
  return JSON.parse((await tasks('create', APP, '--json', '--name', mode, ...inputs)).stdout).id;
};

describe('a task of the command line', () => {
  test('runs to its end, and shows its output, its log and its cost', async () => {
    const id = await create('good');
    const ran = await tasks('run', id, '--wait');
    expect(ran).toMatchObject({ code: 0, stdout: `${id}: RUNNING\n` });
    expect(ran.stderr).toMatch(/good \([0-9a-f]{8}\): COMPLETED: The task has completed\.\n$/);
    expect((await tasks('log', id)).stdout).toContain('completed success');
    const shown = (await tasks('show', `good~${id.slice(0, 8)}`)).stdout;
    expect(shown).toMatch(/^status {4}COMPLETED$/m);
    expect(shown).toMatch(/^price {5}\d+\.\d+ USD$/m);
    const { outputs } = JSON.parse((await tasks('show', '--json', id)).stdout);
    expect(await readFile(served.path('projects', PROJECT, outputs.size.name), 'utf8')).toMatch(/^\s*4\n$/);
    const refused = await tasks('run', id);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^svcfs: \S+: cannot be run: it is COMPLETED\. /);
  });

  test('ends a wait with 1 when it failed, and with 19 when it was aborted', async () => {
    const [bad, slow] = [await create('bad'), await create('slow')];
    expect((await tasks('run', bad, '--wait')).code).toBe(1);
    expect(await tasks('wait', slow)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody runs'),
    });
    expect((await tasks('run', slow)).code).toBe(0);
    expect((await tasks('abort', slow)).stdout).toMatch(/: ABORT(ING|ED)\n$/);
    const waited = await tasks('wait', '--json', slow);
    expect(waited.code).toBe(19);
    expect(JSON.parse(waited.stdout)).toMatchObject({ id: slow, status: 'ABORTED' });
    const listed = (await tasks('list', PROJECT, '--status', 'failed')).stdout;
    expect(listed).toMatch(new RegExp(`^${bad}  FAILED .*  bad\n$`));
  });

  test('is told of when there is none', async () => {
    const none = '00000000-0000-4000-8000-000000000000';
    for (const action of ['show', 'run', 'abort', 'wait'])
      expect(await tasks(action, none)).toMatchObject({
        code: 1,
        stderr: `svcfs: ${none}: there is no such task, or you cannot see it\n`,
      });
    expect(await tasks('show', 'abc')).toMatchObject({ code: 2 });
    expect((await tasks('list', 'nobody')).code).toBe(2);
  });
});

describe('tasks as files', () => {
  const made = (counted: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0));
  const inTasks = (command: string) => shell(`cd ${served.path('tasks', PROJECT)}; ${command}`);

  test('cost a request to list, and nothing to look at', async () => {
    const id = await create('listed');
    await inTasks('pwd');
    const task = `listed~${id.slice(0, 8)}`;
    expect(made(await served.countingCalls(() => inTasks('ls')))).toEqual({ 'GET /v2/tasks': 1 });
    expect(made(await served.countingCalls(() => inTasks('ls -l; cat */status */task.json')))).toEqual({});
    expect(made(await served.countingCalls(() => inTasks(`ls -l ${task}/inputs/texts`)))).toEqual({
      'POST /v2/bulk/files/get': 1,
      'GET /v2/projects/:owner/:project': 1,
    });
    expect(made(await served.countingCalls(() => inTasks(`cat ${task}/inputs/mode; ls -l ${task}`)))).toEqual(
      {},
    );
  });

  test('go from the example of an app to their outputs by the shell alone', async () => {
    const script = `
      cd ${served.sandbox.root}/home
      M=${served.path()} A=${PROJECT}/samtools-flagstat
      svcfs() { ${process.execPath} ${join(process.cwd(), 'dist/cli/main.js')} "$@"; }
      cp "$M/apps/$A/example.json" .
      svcfs tasks create "$M/apps/$A" --inputs example.json || echo refused: $?
      sed s,FILE,child/child.bam, example.json > job.json
      svcfs tasks create "$M/apps/$A" --name Counts --inputs job.json --run --wait
      cat "$M"/tasks/${PROJECT}/Counts~*/status
      head -1 "$M"/tasks/${PROJECT}/Counts~*/outputs/*
      jq -c '.alignments.path = "project:${PROJECT}/child/child.cram"' example.json |
        svcfs tasks create $A --inputs - --run --wait > directory
      cat "$(cat directory)/status"`;
    const { stdout, stderr } = await run('bash', ['-c', script], {
      env: { ...served.sandbox.env, ...env() },
    });
    const [refused, directory, ...rest] = stdout.split('\n');
    expect(refused).toBe('refused: 1');
    expect(stderr).toContain(`port alignments: expects File, got project:${PROJECT}/FILE: no such file`);
    expect(directory).toMatch(new RegExp(`^${served.path('tasks', PROJECT)}/Counts~[0-9a-f]{8}$`));
    expect(rest).toEqual(['COMPLETED', expect.stringMatching(/^\d+ \+ 0 in total/), 'COMPLETED', '']);
  });

  test('go from a draft to their outputs by the shell alone', async () => {
    const svcfs = `${process.execPath} ${join(process.cwd(), 'dist/cli/main.js')}`;
    const script = `
      cd ${served.path()}
      echo '{"mode": "good", "texts": ["projects/${PROJECT}/README.md"]}' > ${served.sandbox.root}/home/shell.json
      T=$(${svcfs} tasks create ${APP} --name shell --inputs ${served.sandbox.root}/home/shell.json -i texts=projects/${PROJECT}/README.md)
      cat "$T/status"
      # The mount knows the names in the project, without those of the outputs.
      ls projects/${PROJECT} > ${served.sandbox.root}/home/before
      echo run > "$T/ctl"
      until grep -qv RUNNING "$T/status"; do sleep 0.2; done
      cat "$T/status" "$T/outputs/size" "$T/price"
      grep -c success "$T"/logs/sum/task.log
      cat "$T/inputs/texts/0-README.md"; echo
      echo run > "$T/ctl" || ${svcfs} why "$T/ctl"
      ls tasks/${PROJECT}/by-status/COMPLETED | grep ^shell | wc -l
      ${svcfs} tasks create ${APP} --json -i mode=next -i texts="$T"/outputs/size | grep -c size.txt`;
    const { code, stdout, stderr } = await run('bash', ['-c', script], {
      env: { ...served.sandbox.env, ...env() },
    });
    const lines = stdout.split('\n').map((line) => line.trim());
    expect({ code, stderr, lines: lines.slice(0, 3) }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/write error: Invalid argument\n$/),
      lines: ['DRAFT', 'COMPLETED', '4'],
    });
    expect(lines[3]).toMatch(/^\d+\.\d+ USD$/);
    expect(lines.slice(4, 6)).toEqual(['2', 'four']);
    expect(lines[7]).toContain('the task is COMPLETED: run is refused');
    expect(lines.slice(8)).toEqual(['1', '1', '']);
  });
});
