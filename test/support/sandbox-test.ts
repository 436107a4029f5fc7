import { test as base } from 'vitest';
import { Sandbox } from './sandbox.ts';

/** A test with a sandbox of its own, which is cleaned whatever happens, and described when the test fails. */
export const test = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({ onTestFailed }, use) => {
    const sandbox = await Sandbox.create();
    // Runs before the fixture is taken down, while what hangs still hangs.
    onTestFailed(async () => {
      process.stderr.write(`${await sandbox.describe()}\n`);
    });
    await use(sandbox);
    await sandbox.clean();
  },
});
