import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * One project per kind of test. Files of `model` measure times and load, so they do not run side by side.
 * Vitest puts each project without parallel files into a group of its own, after all others.
 */
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

/**
 * Some tests make mount namespaces, which hold every mount that there is as they start. In others the speed at which bytes
 * come decides what is done. These files do not run side by side.
 */
const FAULTS_APART = ['test/faults/task-takeover.test.ts', 'test/faults/splicing.test.ts'];
const MOUNTS_APART = ['boot', 'bounds', 'cli-lifecycle', 'doctor', 'passed-descriptor', 'splicing'].map(
  (name) => `test/mount/${name}.test.ts`,
);

/** What these promise hangs on no database. `scripts/test --long` runs them on PostgreSQL, too. */
const OF_ANY_DATABASE = [
  'calls',
  'demo',
  'dialects',
  'directory-bucket',
  'executor',
  'executor-bounds',
  'executor-inputs',
  'openapi',
  'request-log',
  's3',
  's3-roles',
  'slow-clients',
  'trusted-proxies',
  'wes-executor',
].map((name) => `test/service/${name}.test.ts`);

/** Files share the modules that a process has loaded: to load them anew for each takes longer than the tests. */
const TOGETHER = { isolate: false };

/** Some of these files replace modules, for which each needs modules of its own. */
const UNIT_APART = 'test/unit/content/**/*.test.ts';

const MOUNTS = { globalSetup: 'test/support/demo-template.ts', sequence: { groupOrder: 2 } };

/** Later lines of Node.js, as far as they are there for this machine (test/node-lines): the whole of a mount's main tests on each. */
const ON_NODE_LINES = ['node-22', 'node-24', 'node-26'].flatMap((line) => {
  const node = fileURLToPath(new URL(`test/node-lines/node_modules/${line}/bin/node`, import.meta.url));
  if (!existsSync(node)) return [];
  return project(`long-on-${line}`, 180, {
    include: ['test/mount/{main-job,browse,write,transfer,xattr,cli-lifecycle}.test.ts'],
    env: { SVCFS_TEST_NODE: node },
    fileParallelism: false,
    globalSetup: 'test/support/demo-template.ts',
  });
});

const LONG = [
  project('long', 300, {
    include: ['test/long/**/*.test.ts', 'test/model/crash.test.ts'],
    fileParallelism: false,
    globalSetup: 'test/support/demo-template.ts',
  }),
  project('long-on-postgres', 120, { include: OF_ANY_DATABASE, globalSetup: 'test/service/on-postgres.ts' }),
  ...ON_NODE_LINES,
];

export default defineConfig({
  test: {
    reporters: ['default'],
    // vitest leaves one processor to itself, which of two is half of them.
    maxWorkers: availableParallelism(),
    projects: [
      project('unit', 60, { ...TOGETHER, exclude: [UNIT_APART] }),
      project('unit-apart', 60, { include: [UNIT_APART] }),
      project('contract', 60, TOGETHER),
      project('service', 60, TOGETHER),
      project('service-on-postgres', 60, {
        ...TOGETHER,
        include: ['test/service/**/*.test.ts'],
        exclude: OF_ANY_DATABASE,
        globalSetup: 'test/service/on-postgres.ts',
      }),
      project('mount', 120, { ...MOUNTS, exclude: MOUNTS_APART }),
      project('mount-fuse-native', 120, {
        include: ['test/mount/{browse,write,xattr}.test.ts'],
        env: { SVCFS_DRIVER: 'fuse-native' },
        ...MOUNTS,
      }),
      // The same once more in the platform's words; the others are in those of the API document.
      project('platform-dialect', 120, {
        include: [
          'test/contract/{api,jobs,metadata}/*.test.ts',
          'test/mount/{main-job,transfer,xattr}.test.ts',
        ],
        env: { SVCFS_DIALECT: 'sbg' },
        ...MOUNTS,
      }),
      // They wait more than they compute: for timeouts, restarts and retries. So three of them share two processors.
      project('faults', 180, {
        exclude: FAULTS_APART,
        maxWorkers: availableParallelism() + 1,
        sequence: { groupOrder: 1 },
      }),
      project('apart', 180, {
        include: [...FAULTS_APART, ...MOUNTS_APART],
        fileParallelism: false,
        globalSetup: 'test/support/demo-template.ts',
      }),
      // Hours: only `scripts/test --long` has them.
      ...(process.env['SVCFS_LONG'] === '1' ? LONG : []),
      project('model', 180, { fileParallelism: false, globalSetup: 'test/support/demo-template.ts' }),
    ],
  },
});
