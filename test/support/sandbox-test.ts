import { test as base } from 'vitest';
import { Sandbox } from './sandbox.ts';

/** A test with a sandbox of its own: described when the test fails, while what hangs still hangs, and always cleaned. */
export const test = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({ task }, use) => {
    const sandbox = await Sandbox.create();
    await use(sandbox);
    if (task.result?.state === 'fail') process.stderr.write(`${await sandbox.describe()}\n`);
    await sandbox.clean();
  },
});
