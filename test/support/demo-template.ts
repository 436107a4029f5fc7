/**
 * Makes the demo's data once for a run of tests, which takes a core six seconds: each service of a test begins with a copy
 * (`layDemo`). That filling works is shown by test/mount/cli-serve.test.ts and cli-demo.test.ts.
 */
import { access, cp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Sandbox } from './sandbox.ts';

/** Of a machine that does much else besides. */
const FILLED_WITHIN_MS = 10 * 60_000;

declare module 'vitest' {
  export interface ProvidedContext {
    /** A service's data directory that holds the demo, of no running service. */
    readonly demoTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The projects of one run share it.
  const template = join(tmpdir(), `svcfs-demo-template-${process.pid}`);
  await access(template).catch(() => fill(template));
  project.provide('demoTemplate', template);
  return () => rm(template, { recursive: true, force: true });
}

async function fill(template: string): Promise<void> {
  const sandbox = await Sandbox.create();
  try {
    const data = join(sandbox.root, 'service');
    const service = sandbox.start(['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0']);
    await service.says(/^listening on/m, FILLED_WITHIN_MS);
    await service.end();
    await cp(data, template, { recursive: true });
  } finally {
    await sandbox.clean();
  }
}
