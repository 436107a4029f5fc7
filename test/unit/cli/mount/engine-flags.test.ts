import { expect, it } from 'vitest';
import { engineFlags } from '../../../../src/cli/mount/engine-flags.ts';
import { run } from '../../../support/run.ts';

it('this engine knows its flags', async () => {
  const flags = engineFlags(process.versions.v8);
  expect(await run(process.execPath, [...flags, '-e', ''])).toMatchObject({ code: 0, stderr: '' });
});

it('the engine of Node 20 has some', () => {
  expect(engineFlags('11.3.244.8-node.30')).toContain('--always-sparkplug');
});

it('an engine that nothing was measured on gets none', () => {
  expect(engineFlags('99.1.2')).toEqual([]);
});
