/** Every call of the API, and who may make it: `permission-matrix.test.ts` tries each of them as everybody. */
import { ERROR_CODES } from '../../src/contract/error-codes.ts';
import type { ProjectPermission, Row, Rule, VolumePermission, World } from './permission-terms.ts';
import type { Answer } from './test-service.ts';
import { ended } from './volume-world.ts';

const TOOL = { class: 'CommandLineTool', cwlVersion: 'v1.2', inputs: [], outputs: [], baseCommand: 'true' };

const open: Rule = { kind: 'open' };
const own: Rule = { kind: 'own' };
const mine = (refusal: number): Rule => ({ kind: 'private', refusal });
const inProject = (needs: ProjectPermission, refusal: number, hidden: number): Rule => ({
  kind: 'project',
  needs,
  refusal,
  hidden,
});
const onFile = (needs: ProjectPermission, refusal = 0): Rule => inProject(needs, refusal, 5002);
const onTask = (needs: ProjectPermission): Rule => inProject(needs, 7001, 7002);
const onApp = (needs: ProjectPermission): Rule => inProject(needs, 6001, 6002);
const onVolume = (needs: VolumePermission): Rule => ({ kind: 'volume', needs });

let count = 0;
const fresh = (): string => {
  count += 1;
  return `n${count}`;
};

const file = async ({ alice, root }: World): Promise<string> => (await alice.upload(root, fresh())).id;
const folder = async ({ alice, root }: World): Promise<string> => (await alice.folder(root, fresh())).id;
const upload = async ({ alice, root }: World): Promise<string> =>
  (await alice.post('/upload/multipart', { parent: root, name: fresh() })).body.upload_id;
const app = async ({ alice, project }: World): Promise<string> => {
  const id = `${project}/${fresh()}`;
  await alice.post(`/apps/${id}/raw`, TOOL);
  return id;
};
const task = async (world: World): Promise<string> => {
  const body = { project: world.project, app: await app(world), name: fresh() };
  return (await world.alice.post('/tasks', body)).body.id;
};
const runningTask = async (world: World): Promise<string> => {
  const id = await task(world);
  await world.alice.post(`/tasks/${id}/actions/run`);
  return id;
};
const anyone = async ({ service }: World): Promise<string> => (await service.user(fresh())).username;
const projectMember = async (world: World): Promise<string> => {
  const username = await anyone(world);
  await world.alice.post(`/projects/${world.project}/members`, { username, permissions: { read: true } });
  return username;
};
const volumeMember = async (world: World): Promise<string> => {
  const username = await anyone(world);
  const body = { username, permissions: { read: true } };
  await world.alice.post(`/storage/volumes/${world.volume.id}/members`, body);
  return username;
};
const object = async ({ volume }: World): Promise<string> => {
  const location = fresh();
  await volume.lay(location, location);
  return location;
};
const importBody = async (world: World): Promise<object> => ({
  source: { volume: world.volume.id, location: await object(world) },
  destination: { parent: world.root, name: fresh() },
});
const exportBody = async (world: World): Promise<object> => ({
  source: { file: await file(world) },
  destination: { volume: world.volume.id, location: fresh() },
});
const job = async (world: World, kind: 'import' | 'export'): Promise<string> => {
  const body = await (kind === 'import' ? importBody : exportBody)(world);
  return (await world.alice.post(`/storage/${kind}s`, body)).body.id;
};
const asyncJob = async (world: World, kind: string): Promise<string> => {
  const items = [{ file: await file(world), parent: await folder(world) }];
  return (await world.alice.post(`/async/files/${kind}`, { items })).body.id;
};
const ownProject = async ({ caller }: World): Promise<string> => (await caller.project(fresh())).id;

const firstEntry = async ({ body }: Answer): Promise<Answer['body']> =>
  body.items[0].error ?? body.items[0].resource;
const firstOfJob = async ({ body }: Answer, { caller }: World): Promise<Answer['body']> => {
  const [entry] = (await ended(caller, body)).result;
  return entry.error ?? entry.resource;
};

const row = (rule: Rule, attempt: Row['attempt'], outcome?: Row['outcome']): Row => ({
  rule,
  attempt,
  ...(outcome === undefined ? {} : { outcome }),
});
const at =
  (path: string): Row['attempt'] =>
  () => ({ path });
const ofProject =
  (below = '', body?: unknown): Row['attempt'] =>
  ({ project }) => ({ path: `/projects/${project}${below}`, body });
const ofFile =
  (below = '', body?: unknown): Row['attempt'] =>
  async (world) => ({ path: `/files/${await file(world)}${below}`, body });
const ofUpload =
  (below = '', body?: unknown): Row['attempt'] =>
  async (world) => ({ path: `/upload/multipart/${await upload(world)}${below}`, body });
const ofVolume =
  (below = '', body?: unknown): Row['attempt'] =>
  ({ volume }) => ({ path: `/storage/volumes/${volume.id}${below}`, body });
const ofApp =
  (below = '', body?: unknown): Row['attempt'] =>
  async (world) => ({ path: `/apps/${await app(world)}${below}`, body });
const ofTask =
  (below = '', body?: unknown): Row['attempt'] =>
  async (world) => ({ path: `/tasks/${await task(world)}${below}`, body });
const ofGroup =
  (below = ''): Row['attempt'] =>
  ({ group }) => ({ path: `/billing/groups/${group}${below}` });

const PART = { part_number: 1, response: { headers: { ETag: 'd41d8cd98f00b204e9800998ecf8427e' } } };

const createdUpload = inProject('write', 8001, 5026);
const appAction =
  (action: 'copy' | 'sync', revision: string): Row['attempt'] =>
  async (world) => {
    if (action === 'copy') {
      return {
        path: `/apps/${await app(world)}${revision}/actions/copy`,
        body: { project: await ownProject(world) },
      };
    }
    const original = await app(world);
    await world.service.operator.publishApp(original);
    const body = { project: world.project, name: fresh() };
    const copy = (await world.alice.post(`/apps/${original}/actions/copy`, body)).body.id as string;
    return { path: `/apps/${copy.replace(/\/\d+$/, '')}${revision}/actions/sync` };
  };
const reviseApp: Row['attempt'] = async (world) => ({ path: `/apps/${await app(world)}/1/raw`, body: TOOL });

export const MATRIX: Readonly<Record<string, Row>> = {
  'GET /v2': row(open, at('/')),
  'GET /v2/rate_limit': row(own, at('/rate_limit')),
  'GET /v2/api-status-codes': row(open, at('/api-status-codes')),
  'GET /v2/openapi.json': row(open, at('/openapi.json')),
  'GET /v2/user': row(own, at('/user')),
  'POST /v2/action/notifications/feedback': row(own, () => ({
    path: '/action/notifications/feedback',
    body: { type: 'idea', text: 'More of it.' },
  })),
  'GET /v2/users/{username}': row(own, ({ caller }) => ({ path: `/users/${caller.username}` })),

  'GET /v2/projects': row(own, at('/projects')),
  'POST /v2/projects': row(own, () => ({ path: '/projects', body: { name: fresh() } })),
  'GET /v2/projects/{owner}': row(own, at('/projects/alice')),
  'GET /v2/projects/{owner}/{project}': row(inProject('read', 0, 3002), ofProject()),
  'PATCH /v2/projects/{owner}/{project}': row(
    inProject('write', 3001, 3002),
    ofProject('', { description: 'd' }),
  ),
  'POST /v2/projects/{owner}/{project}': row(
    inProject('write', 3001, 3002),
    ofProject('', { description: 'd' }),
  ),
  'DELETE /v2/projects/{owner}/{project}': row(inProject('admin', 3001, 3002), ofProject()),
  'GET /v2/projects/{owner}/{project}/files': row(own, ofProject('/files')),
  'GET /v2/projects/{owner}/{project}/tasks': row(own, ofProject('/tasks')),
  'GET /v2/projects/{owner}/{project}/members': row(inProject('read', 0, 3002), ofProject('/members')),
  'POST /v2/projects/{owner}/{project}/members': row(inProject('admin', 3001, 3002), async (world) => ({
    path: `/projects/${world.project}/members`,
    body: { username: await anyone(world), permissions: { read: true } },
  })),
  'GET /v2/projects/{owner}/{project}/members/{username}': row(
    inProject('read', 0, 3002),
    ofProject('/members/alice'),
  ),
  'DELETE /v2/projects/{owner}/{project}/members/{username}': row(
    inProject('admin', 3001, 3002),
    async (world) => ({ path: `/projects/${world.project}/members/${await projectMember(world)}` }),
  ),
  'PATCH /v2/projects/{owner}/{project}/members/{username}/permissions': row(
    inProject('admin', 3001, 3002),
    async (world) => ({
      path: `/projects/${world.project}/members/${await projectMember(world)}/permissions`,
      body: { write: true },
    }),
  ),
  'PUT /v2/projects/{owner}/{project}/members/{username}/permissions': row(
    inProject('admin', 3001, 3002),
    async (world) => ({
      path: `/projects/${world.project}/members/${await projectMember(world)}/permissions`,
      body: { write: true },
    }),
  ),

  'GET /v2/files': row(inProject('read', 0, 5026), ({ root }) => ({ path: `/files?parent=${root}` })),
  'POST /v2/files': row(inProject('write', 5001, 5026), ({ root }) => ({
    path: '/files',
    body: { name: fresh(), type: 'folder', parent: root },
  })),
  'GET /v2/files/{file_id}/list': row(inProject('read', 0, 5026), ({ root }) => ({
    path: `/files/${root}/list`,
  })),
  'GET /v2/files/{file_id}': row(onFile('read'), ofFile()),
  'PATCH /v2/files/{file_id}': row(onFile('write', 5011), ofFile('', { tags: ['t'] })),
  'DELETE /v2/files/{file_id}': row(onFile('write', 5001), ofFile()),
  'GET /v2/files/scroll': row(inProject('read', 0, 3002), ({ project }) => ({
    path: `/files/scroll?project=${project}`,
  })),
  'GET /v2/files/{file_id}/scroll': row(inProject('read', 0, 5026), ({ root }) => ({
    path: `/files/${root}/scroll`,
  })),
  'POST /v2/files/search': row(inProject('read', 0, 3002), ({ project }) => ({
    path: '/files/search',
    body: { query: `IN "${project}"` },
  })),
  'GET /v2/files/{file_id}/metadata': row(onFile('read'), ofFile('/metadata')),
  'PATCH /v2/files/{file_id}/metadata': row(onFile('creator', 5009), ofFile('/metadata', { a: 'b' })),
  'PUT /v2/files/{file_id}/metadata': row(onFile('creator', 5009), ofFile('/metadata', { a: 'b' })),
  'POST /v2/files/{file_id}/actions/copy': row(onFile('copy', 5014), async (world) => ({
    path: `/files/${await file(world)}/actions/copy`,
    body: { project: await ownProject(world) },
  })),
  'POST /v2/files/{file_id}/actions/move': row(onFile('write', 5032), async (world) => ({
    path: `/files/${await file(world)}/actions/move`,
    body: { name: fresh() },
  })),
  'PUT /v2/files/{file_id}/tags': row(onFile('write', 5011), ofFile('/tags', ['t'])),
  'GET /v2/files/{file_id}/download_info': row(onFile('copy', 5014), ofFile('/download_info')),

  'POST /v2/upload/multipart': row(createdUpload, ({ root }) => ({
    path: '/upload/multipart',
    body: { parent: root, name: fresh() },
  })),
  'GET /v2/upload/multipart': row(own, at('/upload/multipart')),
  'GET /v2/upload/multipart/{upload_id}': row(mine(8003), ofUpload()),
  'DELETE /v2/upload/multipart/{upload_id}': row(mine(8003), ofUpload()),
  'POST /v2/upload/multipart/{upload_id}/complete': row(mine(8003), ofUpload('/complete', { parts: [PART] })),
  'POST /v2/upload/multipart/{upload_id}': row(mine(8003), ofUpload('', { parts: [PART] })),
  'GET /v2/upload/multipart/{upload_id}/part/{part_number}': row(mine(8003), ofUpload('/part/1')),
  'POST /v2/upload/multipart/{upload_id}/part': row(mine(8003), ofUpload('/part', PART)),
  'POST /v2/upload/inline': row(createdUpload, ({ root }) => ({
    path: `/upload/inline?parent=${root}&name=${fresh()}`,
    body: 'content',
    headers: { 'Content-Type': 'application/octet-stream' },
  })),

  'POST /v2/bulk/files/get': row(
    onFile('read'),
    async (world) => ({ path: '/bulk/files/get', body: { file_ids: [await file(world)] } }),
    firstEntry,
  ),
  'POST /v2/bulk/files/delete': row(
    onFile('write', 5001),
    async (world) => ({ path: '/bulk/files/delete', body: { file_ids: [await file(world)] } }),
    firstEntry,
  ),
  'POST /v2/bulk/files/edit': row(
    onFile('write', 5011),
    async (world) => ({
      path: '/bulk/files/edit',
      body: { items: [{ id: await file(world), tags: ['t'] }] },
    }),
    firstEntry,
  ),
  'POST /v2/bulk/files/update': row(
    onFile('creator', 5009),
    async (world) => ({
      path: '/bulk/files/update',
      body: { items: [{ id: await file(world), tags: ['t'] }] },
    }),
    firstEntry,
  ),
  'POST /v2/action/files/copy': row(
    onFile('copy', 5014),
    async (world) => ({
      path: '/action/files/copy',
      body: { project: await ownProject(world), file_ids: [await file(world)] },
    }),
    async ({ body }) => {
      const [{ status, message }] = Object.values<Answer['body']>(body);
      const code = message === ERROR_CODES[5002].message ? 5002 : 5014;
      return status === 'ERROR' ? { code, status: ERROR_CODES[code].status } : {};
    },
  ),
  'GET /v2/async/files': row(own, at('/async/files')),
  'POST /v2/async/files/copy': row(
    onFile('copy', 57016),
    async (world) => ({
      path: '/async/files/copy',
      body: { items: [{ file: await file(world), project: await ownProject(world) }] },
    }),
    firstOfJob,
  ),
  'GET /v2/async/files/copy/{id}': row(mine(57039), async (world) => ({
    path: `/async/files/copy/${await asyncJob(world, 'copy')}`,
  })),
  'POST /v2/async/files/move': row(
    onFile('write', 57016),
    async (world) => ({
      path: '/async/files/move',
      body: { items: [{ file: await file(world), project: await ownProject(world) }] },
    }),
    firstOfJob,
  ),
  'GET /v2/async/files/move/{id}': row(mine(57039), async (world) => ({
    path: `/async/files/move/${await asyncJob(world, 'move')}`,
  })),
  'POST /v2/async/files/delete': row(
    onFile('write', 57016),
    async (world) => ({ path: '/async/files/delete', body: { items: [{ file: await file(world) }] } }),
    firstOfJob,
  ),
  'GET /v2/async/files/delete/{id}': row(mine(57039), async (world) => ({
    path: `/async/files/delete/${await asyncJob(world, 'delete')}`,
  })),

  'GET /v2/storage/volumes': row(own, at('/storage/volumes')),
  'POST /v2/storage/volumes': row(own, () => {
    const name = fresh();
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    const body = { name, access_mode: 'RW', service: { type: 's3', bucket: name, credentials } };
    return { path: '/storage/volumes', body };
  }),
  'GET /v2/storage/volumes/{owner}/{name}': row(onVolume('member'), ofVolume()),
  'PATCH /v2/storage/volumes/{owner}/{name}': row(onVolume('admin'), ofVolume('', { description: 'd' })),
  'DELETE /v2/storage/volumes/{owner}/{name}': row(onVolume('admin'), async (world) => {
    await world.alice.call('PATCH', `/storage/volumes/${world.volume.id}`, { body: { active: false } });
    return { path: `/storage/volumes/${world.volume.id}` };
  }),
  'GET /v2/storage/volumes/{owner}/{name}/list': row(onVolume('read'), ofVolume('/list')),
  'GET /v2/storage/volumes/{owner}/{name}/object': row(onVolume('read'), async (world) => ({
    path: `/storage/volumes/${world.volume.id}/object?location=${await object(world)}`,
  })),
  'GET /v2/storage/volumes/{owner}/{name}/object/download_info': row(onVolume('copy'), async (world) => ({
    path: `/storage/volumes/${world.volume.id}/object/download_info?location=${await object(world)}`,
  })),
  'GET /v2/storage/volumes/{owner}/{name}/members': row(onVolume('member'), ofVolume('/members')),
  'POST /v2/storage/volumes/{owner}/{name}/members': row(onVolume('admin'), async (world) => ({
    path: `/storage/volumes/${world.volume.id}/members`,
    body: { username: await anyone(world), permissions: { read: true } },
  })),
  'GET /v2/storage/volumes/{owner}/{name}/members/{username}': row(
    onVolume('member'),
    ofVolume('/members/alice'),
  ),
  'DELETE /v2/storage/volumes/{owner}/{name}/members/{username}': row(onVolume('admin'), async (world) => ({
    path: `/storage/volumes/${world.volume.id}/members/${await volumeMember(world)}`,
  })),
  'PATCH /v2/storage/volumes/{owner}/{name}/members/{username}/permissions': row(
    onVolume('admin'),
    async (world) => ({
      path: `/storage/volumes/${world.volume.id}/members/${await volumeMember(world)}/permissions`,
      body: { copy: true },
    }),
  ),
  'PUT /v2/storage/volumes/{owner}/{name}/members/{username}/permissions': row(
    onVolume('admin'),
    async (world) => ({
      path: `/storage/volumes/${world.volume.id}/members/${await volumeMember(world)}/permissions`,
      body: { copy: true },
    }),
  ),

  ...transfers(),

  'GET /v2/apps': row(inProject('read', 0, 3002), ({ project }) => ({ path: `/apps?project=${project}` })),
  'GET /v2/apps/{owner}/{project}/{app}': row(onApp('read'), ofApp()),
  'GET /v2/apps/{owner}/{project}/{app}/{revision}': row(onApp('read'), ofApp('/0')),
  'POST /v2/apps/{owner}/{project}/{app}/actions/copy': row(onApp('copy'), appAction('copy', '')),
  'POST /v2/apps/{owner}/{project}/{app}/actions/sync': row(onApp('write'), appAction('sync', '')),
  'POST /v2/apps/{owner}/{project}/{app}/{revision}/actions/copy': row(
    onApp('copy'),
    appAction('copy', '/0'),
  ),
  'POST /v2/apps/{owner}/{project}/{app}/{revision}/actions/sync': row(
    onApp('write'),
    appAction('sync', '/0'),
  ),
  'GET /v2/apps/{owner}/{project}/{app}/raw': row(onApp('read'), ofApp('/raw')),
  'POST /v2/apps/{owner}/{project}/{app}/raw': row(inProject('write', 6001, 3002), ({ project }) => ({
    path: `/apps/${project}/${fresh()}/raw`,
    body: TOOL,
  })),
  'GET /v2/apps/{owner}/{project}/{app}/{revision}/raw': row(onApp('read'), ofApp('/0/raw')),
  'POST /v2/apps/{owner}/{project}/{app}/{revision}/raw': row(onApp('write'), reviseApp),

  'GET /v2/tasks': row(inProject('read', 0, 3002), ({ project }) => ({ path: `/tasks?project=${project}` })),
  'POST /v2/tasks': row(inProject('execute', 7001, 3002), async (world) => ({
    path: '/tasks',
    body: { project: world.project, app: await app(world), name: fresh() },
  })),
  'GET /v2/tasks/{task_id}': row(onTask('read'), ofTask()),
  'PATCH /v2/tasks/{task_id}': row(onTask('execute'), ofTask('', { name: 'renamed' })),
  'DELETE /v2/tasks/{task_id}': row(onTask('execute'), ofTask()),
  'POST /v2/tasks/{task_id}/actions/run': row(onTask('execute'), ofTask('/actions/run')),
  'POST /v2/tasks/{task_id}/actions/abort': row(onTask('execute'), async (world) => ({
    path: `/tasks/${await runningTask(world)}/actions/abort`,
  })),
  'POST /v2/tasks/{task_id}/actions/clone': row(onTask('execute'), ofTask('/actions/clone')),
  'GET /v2/tasks/{task_id}/inputs': row(onTask('read'), ofTask('/inputs')),
  'PATCH /v2/tasks/{task_id}/inputs': row(onTask('execute'), ofTask('/inputs', {})),
  'GET /v2/tasks/{task_id}/execution_details': row(onTask('read'), ofTask('/execution_details')),
  'POST /v2/bulk/tasks/get': row(
    onTask('read'),
    async (world) => ({ path: '/bulk/tasks/get', body: { task_ids: [await task(world)] } }),
    firstEntry,
  ),

  'GET /v2/billing': row(own, at('/billing')),
  'GET /v2/billing/groups': row(own, at('/billing/groups')),
  'GET /v2/billing/groups/{group}': row(mine(4002), ofGroup()),
  'GET /v2/billing/groups/{group}/breakdown': row(mine(4002), ofGroup('/breakdown')),
  'GET /v2/billing/invoices': row(mine(4002), ({ group }) => ({
    path: `/billing/invoices?billing_group=${group}`,
  })),
  'GET /v2/billing/invoices/{id}': row(mine(4002), async (world) => {
    await runningTask(world);
    const { body } = await world.alice.get(`/billing/invoices?billing_group=${world.group}`);
    return { path: `/billing/invoices/${body.items[0].id}` };
  }),
  'GET /v2/billing/groups/{group}/breakdown/analysis': row(mine(4002), ofGroup('/breakdown/analysis')),
  'GET /v2/billing/groups/{group}/breakdown/storage': row(mine(4002), ofGroup('/breakdown/storage')),
  'GET /v2/billing/groups/{group}/breakdown/egress': row(mine(4002), ofGroup('/breakdown/egress')),
};

function transfers(): Record<string, Row> {
  const importing: Rule = {
    kind: 'transfer',
    onVolume: 'copy',
    inProject: 'write',
    refusal: 9003,
    hidden: 5026,
  };
  const exporting: Rule = {
    kind: 'transfer',
    onVolume: 'write',
    inProject: 'write',
    refusal: 9004,
    hidden: 9009,
  };
  const single =
    (path: string, body: (world: World) => Promise<object>): Row['attempt'] =>
    async (world) => ({ path, body: await body(world) });
  const bulk =
    (path: string, body: (world: World) => Promise<object>): Row['attempt'] =>
    async (world) => ({ path, body: { items: [await body(world)] } });
  const got =
    (kind: 'import' | 'export'): Row['attempt'] =>
    async (world) => ({ path: `/storage/${kind}s/${await job(world, kind)}` });
  const gotInBulk =
    (kind: 'import' | 'export'): Row['attempt'] =>
    async (world) => ({
      path: `/bulk/storage/${kind}s/get`,
      body: { [`${kind}_ids`]: [await job(world, kind)] },
    });
  return {
    'POST /v2/storage/imports': row(importing, single('/storage/imports', importBody)),
    'GET /v2/storage/imports': row(own, at('/storage/imports')),
    'GET /v2/storage/imports/{id}': row(mine(9008), got('import')),
    'POST /v2/bulk/storage/imports/create': row(
      importing,
      bulk('/bulk/storage/imports/create', importBody),
      firstEntry,
    ),
    'POST /v2/bulk/storage/imports/get': row(mine(9008), gotInBulk('import'), firstEntry),
    'POST /v2/storage/exports': row(exporting, single('/storage/exports', exportBody)),
    'GET /v2/storage/exports': row(own, at('/storage/exports')),
    'GET /v2/storage/exports/{id}': row(mine(9008), got('export')),
    'POST /v2/bulk/storage/exports/create': row(
      exporting,
      bulk('/bulk/storage/exports/create', exportBody),
      firstEntry,
    ),
    'POST /v2/bulk/storage/exports': row(exporting, bulk('/bulk/storage/exports', exportBody), firstEntry),
    'POST /v2/bulk/storage/exports/get': row(mine(9008), gotInBulk('export'), firstEntry),
  };
}
