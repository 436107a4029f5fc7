/**
 * The direction of imports (src/decisions/0001-layers.md): right and down only.
 *
 *   kernel - native - fuse - vfs -+- edits ---+
 *                                 +- content -+
 *                                 +- jobs ----+- api -+
 *                                 +- metadata- places -+
 *                                             service +- contract
 */
const only = (from, allowed) => ({
  name: `${from}-imports`,
  comment: `src/${from} may import ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})/` },
});

const room = (name, pkg, homes) => ({
  name: `${name}-in-one-room`,
  comment: `${name} is imported in ${homes} only`,
  severity: 'error',
  from: { path: '^src/', pathNot: homes },
  to: { path: `node_modules/${pkg}(/|$)` },
});

/** Rooms of one home, folders or single files, each of which imports those before it only. */
const inOrder = (home, rooms) =>
  rooms.map((room, index) => ({
    name: `${home}/${room}-imports`,
    comment: `of src/${home}, ${room} may import ${rooms.slice(0, index).join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: `^src/${home}/${room}(/|$)` },
    to: { path: `^src/${home}/`, pathNot: `^src/${home}/(${rooms.slice(0, index + 1).join('|')})(/|$)` },
  }));

/** What knows no subject, each of which imports those before it only. */
const SERVICE_PLUMBING = ['store', 'storage', 'http', 'operations', 'jobs', 'engines'];

/** The subjects of the service, each of which imports those before it only, and of each its front door: `tasks/tasks.ts`. */
const SERVICE_SUBJECTS = [
  'users',
  'volumes',
  'members',
  'billing',
  'files',
  'uploads',
  'projects',
  'file-jobs',
  'transfers',
  'apps',
  'tasks',
  'task-runs',
];

const anyOf = (folders) => `(${folders.join('|')})`;

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { path: '^(src|test)' }, to: { circular: true } },
    {
      name: 'no-two-way-folders',
      comment: 'sibling folders import one way: what both need has a home below both',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/', pathNot: '^src/service' },
      to: { circular: true },
    },
    {
      name: 'lib-is-generic',
      comment: 'src/lib imports nothing but node: modules and itself',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { pathNot: '^src/lib/', dependencyTypesNot: ['core'] },
    },
    only('contract', []),
    only('observe', ['lib']),
    only('config', ['contract', 'lib']),
    only('api', ['contract', 'lib', 'observe']),
    only('content', ['api', 'contract', 'lib', 'observe']),
    ...inOrder('content/write', ['spool', 'parts', 'journal', 'kept', 'upload', 'draft', 'recovery']),
    only('jobs', ['api', 'contract', 'lib', 'observe']),
    only('places', ['api', 'contract', 'lib']),
    only('metadata', ['places', 'api', 'contract', 'lib']),
    ...inOrder('metadata', [
      'own-pairs.ts',
      'key-names.ts',
      'row-hash.ts',
      'table.ts',
      'table-error.ts',
      'format',
      'metadata-api.ts',
      'plan',
      'apply',
      'query',
    ]),
    only('tasks', ['api', 'contract', 'lib']),
    only('edits', ['content', 'metadata', 'places', 'api', 'contract', 'lib', 'observe']),
    ...inOrder('edits', [
      'edit.ts',
      'edit-journal.ts',
      'kept-edit.ts',
      'left-edits.ts',
      'send-edits.ts',
      'owed-edits.ts',
      'with-owed-edits.ts',
    ]),
    only('batch', ['trash', 'places', 'jobs', 'api', 'contract', 'lib']),
    ...inOrder('batch', ['item.ts', 'estimate.ts', 'step.ts', 'touched.ts', 'plan', 'run']),
    only('trash', ['jobs', 'places', 'api', 'contract', 'lib', 'observe']),
    only('vfs', [
      'edits',
      'content',
      'jobs',
      'metadata',
      'trash',
      'tasks',
      'places',
      'api',
      'contract',
      'lib',
      'observe',
    ]),
    ...inOrder('vfs', [
      'file-system.ts',
      'open-flags.ts',
      'errors',
      'model',
      'attributes',
      'synthetic',
      'directories',
      'xattr',
      'listing',
      'publish',
      'closed',
      'open',
      'change',
      'trees',
      'annex',
    ]),
    ...inOrder('vfs/change', ['attributes', 'make', 'trash', 'aside', 'remove', 'rename']),
    only('fuse', ['vfs', 'lib', 'observe']),
    only('service', ['contract', 'lib', 'observe']),
    ...inOrder('service', [...SERVICE_PLUMBING, ...SERVICE_SUBJECTS]),
    ...inOrder('service/storage', ['objects', 's3', 'blobs', 'buckets']),
    {
      name: 'subjects-by-their-front-door',
      comment: 'a subject of the service is used through the file named after it',
      severity: 'error',
      from: { path: `^src/service/${anyOf(SERVICE_SUBJECTS)}/` },
      to: {
        path: `^src/service/${anyOf(SERVICE_SUBJECTS)}/`,
        pathNot: ['^src/service/$1/', '^src/service/([^/]+)/\\1[.]ts$'],
      },
    },
    {
      name: 'no-cycles-between-folders',
      comment: 'what two folders both need has a home below both',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/service/' },
      to: { circular: true },
    },
    {
      name: 'vfs-sees-only-types-of-api',
      comment: 'the client reaches the file system as an object, not as a module',
      severity: 'error',
      from: { path: '^src/(vfs|metadata|places)/' },
      to: { path: '^src/api/', dependencyTypesNot: ['type-only'] },
    },
    room('csv-parse', 'csv-parse', '^src/metadata/format/'),
    room('undici', 'undici', '^src/api/'),
    room('kysely', 'kysely', '^src/service/(store/|.*/tables/|.*-table[.]ts$)'),
    room('sqlite', '@photostructure/sqlite', '^src/service/store/'),
    room('pg', 'pg', '^src/service/store/'),
    room('fastify', '@?fastify', '^src/service/'),
    room('aws-sdk', '@aws-sdk', '^src/(service|api/buckets)/'),
    room('fuse-native', 'fuse-native', '^src/fuse/'),
    room('commander', 'commander', '^src/cli/'),
    room('pino', 'pino', '^src/observe/'),
    room('prom-client', 'prom-client', '^src/(observe|service/operations/monitoring)/'),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
