/** Later lines of Node.js than the oldest that svcfs runs on, which CI is run with. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run } from '../support/run.ts';
import { test } from '../support/sandbox-test.ts';

const LINES = new URL('../node-lines/node_modules/', import.meta.url);
const ADDON = fileURLToPath(new URL('../../native/build/svcfs.node', import.meta.url));
const MIB = 1024 * 1024;

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

describe.each(['node-22', 'node-24', 'node-26'])('with %s', (line) => {
  const node = fileURLToPath(new URL(`${line}/bin/node`, LINES));
  const onThisMachine = test.skipIf(!existsSync(node));

  onThisMachine('a mount reads and writes', async ({ sandbox }) => {
    const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, '--memory', '64M'], {
      node,
      env: service.credentials,
    });
    expect(mounted).toMatchObject({ code: 0, stderr: '' });
    const content = randomBytes(48 * MIB + 1);
    const path = sandbox.path('projects', 'demo', 'trio-exomes', 'large');
    await writeFile(path, content);
    expect((await readFile(path)).equals(content)).toBe(true);
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint], { node })).toMatchObject({ code: 0 });
    expect(await sandbox.processes()).toEqual([]);
  });

  onThisMachine('memory of the data path is let go, while it runs and at its end', async () => {
    const script = `
      const { chunk, giveBack } = require(${JSON.stringify(ADDON)}).memory;
      const held = chunk(${16 * MIB});
      for (let i = 0; i < 16; i++) giveBack(chunk(${16 * MIB}));
      gc();
      setImmediate(() => { gc(); console.log(held.byteLength); });`;
    const result = await run(node, ['--expose-gc', '-e', script]);
    expect(result).toMatchObject({ code: 0, stdout: `${16 * MIB}\n` });
  });
});
