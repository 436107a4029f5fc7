/**
 * Options of `svcfs mount` that bound what it uses. How fast bytes go decides what these tests see, so nothing runs beside them.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { FaultProxy, type SeenRequest } from '../support/fault-proxy.ts';
import { shell } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'projects/demo/rna-seq-study';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

async function mount(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const command = ['mount', sandbox.mountPoint, ...args];
  expect(await sandbox.svcfs(command, { env: { ...service.credentials, ...env } })).toMatchObject({
    code: 0,
    stderr: '',
  });
}

describe('--memory and --spool-size', () => {
  test('hold, as --uploads does, and a file larger than both still arrives', async ({ sandbox }) => {
    await mount(sandbox, ['--memory', '32M', '--spool-size', '32M', '--uploads', '1']);
    const path = sandbox.path(PROJECT, 'large.bin');
    const source = 'seq 12000000'; // 98 MiB
    await shell(`${source} > ${path}; ${source} | cmp - ${path}`);
    const { memory, cache } = await sandbox.statistics();
    expect(memory.limitBytes).toBe(32 * 1024 * 1024);
    expect(cache.cachedBytes).toBeLessThanOrEqual(32 * 1024 * 1024);
    const counters = await (await fetch(`${service.origin}/internal/stats`)).json();
    expect((counters as { maxPartsInFlight: number }).maxPartsInFlight).toBe(1);
  });

  test('a file larger than --spool-size that is read while it is closed is read when its upload is done', async ({
    sandbox,
  }) => {
    const proxy = await FaultProxy.start(service.origin);
    onTestFinished(() => proxy.close());
    const endpoint = { SVC_API_ENDPOINT: `${proxy.origin}/v2` };
    await mount(sandbox, ['--memory', '32M', '--spool-size', '32M'], endpoint);
    const path = sandbox.path(PROJECT, 'closing.bin');
    const isCompletion = (request: SeenRequest): boolean => request.path.endsWith('/complete');
    const letThrough = proxy.inject({ kind: 'answer', status: 503 }, { when: isCompletion });
    const closed = shell(`seq 12000000 > ${path}`);
    await waitUntil(() => proxy.requests.some(isCompletion));
    // Past the kernel's pages of what was written.
    const reading = `dd if=${path} bs=1M count=1 iflag=direct status=none`;
    const compared = new BackgroundProcess('bash', [
      '-c',
      `echo begun; cmp <(seq 200000 | head -c 1M) <(${reading})`,
    ]);
    onTestFinished(() => compared.end());
    await compared.says(/begun/);
    letThrough();
    expect({ code: await compared.exited(), stderr: compared.stderr }).toEqual({ code: 0, stderr: '' });
    await closed;
  });
});

describe('--limit-upload and --limit-download', () => {
  const LIMIT = 3 * 1024 * 1024;

  async function secondsOf(command: string): Promise<number> {
    const startMs = performance.now();
    await shell(command);
    return (performance.now() - startMs) / 1000;
  }

  test.for([
    ['in one call', 7.5 * 1024 * 1024],
    ['in parts', 9 * 1024 * 1024],
  ] as const)('hold back what goes up %s, and what comes down', async ([how, bytes], { sandbox }) => {
    const path = sandbox.path(PROJECT, `limited ${how}.bin`);
    // A second's worth goes at once.
    const least = bytes / LIMIT - 1.5;
    await mount(sandbox, ['--limit-upload', '3M']);
    expect(await secondsOf(`head -c ${bytes} /dev/zero > '${path}'`)).toBeGreaterThan(least);
    await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    await mount(sandbox, ['--limit-download', '3M']);
    expect(await secondsOf(`head -c ${bytes} /dev/zero | cmp - '${path}'`)).toBeGreaterThan(least);
  });
});
