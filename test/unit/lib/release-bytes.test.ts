import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { releaseBytes } from '../../../src/lib/release-bytes.ts';
import { run } from '../../support/run.ts';

const ADDON = fileURLToPath(new URL('../../../native/build/svcfs.node', import.meta.url));

it('frees a buffer that has its memory to itself', () => {
  const bytes = Buffer.allocUnsafeSlow(64 * 1024);
  releaseBytes(bytes);
  expect(bytes.length).toBe(0);
});

it('leaves alone what shares its memory', () => {
  const whole = Buffer.allocUnsafeSlow(64 * 1024).fill('x');
  const half = whole.subarray(0, whole.length / 2);
  releaseBytes(half);
  expect([half.length, whole.at(-1)]).toEqual([32 * 1024, 'x'.charCodeAt(0)]);
});

it('spares the garbage collector what passes by', async () => {
  const collections = async (done: string): Promise<number> => {
    const passing = `for (let i = 0; i < 32768; i++) { const bytes = Buffer.allocUnsafeSlow(65536); ${done} }`;
    const script = `const { release } = require('${ADDON}').memory; ${passing}`;
    const { stdout } = await run(process.execPath, ['--trace-gc', '-e', script]);
    return stdout.split('\n').length - 1;
  };
  expect(await collections('release(bytes.buffer)')).toBeLessThan((await collections('')) / 2);
});
