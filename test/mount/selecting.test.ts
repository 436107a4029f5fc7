/** `--project`, `--volume` and `--trees`: a mount of a part of the platform. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import type { RunResult } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

function tryMount(sandbox: Sandbox, args: readonly string[], endpoint?: string): Promise<RunResult> {
  const env = { ...service.credentials, ...(endpoint !== undefined && { SVC_API_ENDPOINT: endpoint }) };
  return sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env });
}

async function why(sandbox: Sandbox, ...names: string[]): Promise<string> {
  return (await sandbox.svcfs(['why', sandbox.path(...names)])).stdout;
}

describe('a mount of some projects and volumes', () => {
  test('shows them and no others, and tells why of these', async ({ sandbox }) => {
    const mounted = await tryMount(sandbox, ['--project', 'demo/rna-*', '--volume', 'demo/results']);
    expect(mounted).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(sandbox.path('projects'))).toEqual(['demo']);
    expect(await readdir(sandbox.path('projects', 'demo'))).toEqual(['rna-seq-study']);
    expect(await readdir(sandbox.path('volumes', 'demo'))).toEqual(['results']);
    await expect(readdir(sandbox.path('projects', 'demo', 'trio-exomes'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(await why(sandbox, 'projects', 'demo', 'trio-exomes')).toContain(
      'now: of the projects, the mount shows those of --project demo/rna-* only',
    );
    await writeFile(sandbox.path('projects', 'demo', 'rna-seq-study', 'new'), 'text');
  });

  test('asks for a named project and for no list of them', async ({ sandbox }) => {
    const proxy = await RecordingProxy.start(service.origin);
    try {
      const mounted = await tryMount(
        sandbox,
        ['--project', 'demo/rna-seq-study', '--trees', 'projects'],
        `${proxy.url}/v2`,
      );
      expect(mounted).toMatchObject({ code: 0, stderr: '' });
      expect(await readdir(sandbox.mountPoint)).toEqual(['projects']);
      expect(await readdir(sandbox.path('projects', 'demo'))).toEqual(['rna-seq-study']);
      await expect(readdir(sandbox.path('volumes'))).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await why(sandbox, 'volumes', 'demo')).toContain('(--trees projects)');
      const lists = proxy.requests.filter(({ path }) => /\/(projects|volumes)\?/.test(path));
      // The one item by which the command looks whether there is an API.
      expect(lists.map(({ path }) => path.replace(/^\/v2/, ''))).toEqual(['/projects?offset=0&limit=1']);
    } finally {
      await proxy.stop();
    }
  });

  test('by -o and by a configuration file, which adds them up', async ({ sandbox }) => {
    await mkdir(join(sandbox.home, '.config/svcfs'), { recursive: true });
    const lines = ['[mount]', 'project = ["demo/rna-seq-study", "demo/none-*"]', 'trees = ["projects"]'];
    await writeFile(join(sandbox.home, '.config/svcfs/config.toml'), lines.join('\n'), { mode: 0o600 });
    const byFile = await tryMount(sandbox, []);
    expect(byFile).toMatchObject({ code: 0, stderr: 'svcfs: --project demo/none-*: nothing fits it now\n' });
    expect(await readdir(sandbox.path('projects', 'demo'))).toEqual(['rna-seq-study']);
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
    const list = 'project=demo/rna-seq-study,project=demo/trio-exomes,trees=projects';
    expect(await tryMount(sandbox, ['-o', list])).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(sandbox.path('projects', 'demo'))).toEqual(['rna-seq-study', 'trio-exomes']);
  });
});

describe('what cannot be selected', () => {
  test.for([
    [
      ['--project', 'demo/rna-seq-studi'],
      /^svcfs: --project demo\/rna-seq-studi: there is no such project, or you are no member of it: did you mean demo\/rna-seq-study.*\?\n$/,
    ],
    [['--volume', 'demo/result'], /^svcfs: --volume demo\/result: .*did you mean demo\/results/],
    [['--project', 'demo'], /--project <owner\/name>' argument 'demo' is invalid. Expected OWNER\/NAME/],
    [['--trees', 'projects,apps2'], /Expected names by commas, of projects, volumes/],
    [
      ['--trees', 'volumes', '--project', 'demo/x'],
      /^svcfs: --project and --trees exclude each other, for these trees have no projects/,
    ],
  ] as const)('%s is refused in a line', async ([args, message], { sandbox }) => {
    const refused = await tryMount(sandbox, args);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(message);
    expect(await readdir(sandbox.mountPoint)).toEqual([]);
  });
});
