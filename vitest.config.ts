import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** One project per kind of test; mounts run in child processes, so files of `mount` do not run side by side. */
const project = (name: string, timeoutSeconds: number, extra: object = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    testTimeout: timeoutSeconds * 1000,
    hookTimeout: timeoutSeconds * 1000,
    ...extra,
  },
});

export default defineConfig({
  test: {
    reporters: ['default'],
    // vitest leaves one processor to itself, which of two is half of them.
    maxWorkers: availableParallelism(),
    projects: [
      project('unit', 60),
      project('contract', 60),
      project('service', 60),
      project('service-on-postgres', 60, {
        include: ['test/service/**/*.test.ts'],
        globalSetup: 'test/service/on-postgres.ts',
      }),
      project('mount', 120, { fileParallelism: false, globalSetup: 'test/support/demo-template.ts' }),
      project('mount-fuse-native', 120, {
        include: ['test/mount/{browse,write,xattr}.test.ts'],
        env: { SVCFS_DRIVER: 'fuse-native' },
        fileParallelism: false,
        globalSetup: 'test/support/demo-template.ts',
      }),
      project('faults', 180, { fileParallelism: false }),
      project('model', 180, { fileParallelism: false, globalSetup: 'test/support/demo-template.ts' }),
    ],
  },
});
