/**
 * Requests of the platform's public clients, where they differ from what one would expect. Those of the Python client
 * were recorded from runs of scripts/conformance, which needs the client itself. Those of the others were read from their
 * sources.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let project: { readonly id: string; readonly root_folder: string };

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  project = await alice.project('Wire');
});
afterAll(() => service.stop());

const names = async (path: string): Promise<string[]> =>
  (await alice.get(path)).body.items.map(({ name }: { name: string }) => name);

describe('queries', () => {
  test('lists are keys given several times, also where the documents speak of commas', async () => {
    await alice.post('/projects', { name: 'One tag', tags: ['tcga'] });
    await alice.post('/projects', { name: 'Both tags', tags: ['tcga', 'b'] });
    const query = '/projects/?fields=_all&tags=tcga';
    expect(await names(query)).toEqual(['Both tags', 'One tag']);
    expect(await names(`${query}&tags=b`)).toEqual(['Both tags']);
    expect(await names(`${query},b`)).toEqual(['Both tags']);
  });

  test('an empty list of names is the empty name, which no file has', async () => {
    await alice.upload(project.root_folder, 'named');
    expect(await names(`/files?project=${project.id}&name=&fields=_all`)).toEqual([]);
  });

  test('times have no zone, and their colons are encoded', async () => {
    const query = `/tasks?project=${project.id}&created_from=2020-01-01T00%3A00%3A00&fields=_all`;
    expect(await alice.get(query)).toMatchObject({ status: 200, body: { items: [] } });
  });
});

describe('apps', () => {
  const YAML = 'class: CommandLineTool\nlabel: From text\ninputs: {}\noutputs: {}\n';

  test('YAML comes as one text in JSON, under the content type of JSON', async () => {
    const { status, body } = await alice.post(`/apps/${project.id}/yaml/raw`, JSON.stringify(YAML));
    expect([status, body.label]).toEqual([200, 'From text']);
    const next = JSON.stringify(YAML.replace('From text', 'Next'));
    expect((await alice.post(`/apps/${project.id}/yaml/1/raw`, next)).body.label).toBe('Next');
  });

  test.each(['{a: [}', 'a: 1\na: 2', 'just text', '"text in text"', ''])('%j is no app', async (text) => {
    const { status, body } = await alice.post(`/apps/${project.id}/no/raw`, JSON.stringify(text));
    expect([status, [90000, 6007].includes(body.code)]).toEqual([400, true]);
  });
});

describe('signed addresses', () => {
  test('hold for ranges past the end, and for who reads the head alone and leaves', async () => {
    const { id } = await alice.upload(project.root_folder, 'ranged', '0123456789');
    const { body: link } = await alice.get(`/files/${id}/download_info`);
    const left = await fetch(link.url);
    expect(left.headers.get('content-length')).toBe('10');
    await left.body?.cancel();
    const tail = await fetch(link.url, { headers: { Range: 'bytes=8-5242879' } });
    expect([tail.status, await tail.text()]).toEqual([206, '89']);
  });

  test.each([
    ['more', (url: string) => `${url}0`],
    ['less', (url: string) => url.slice(0, -1)],
    ['something after it', (url: string) => `${url}zz`],
    ['capitals', (url: string) => url.replace(/[^=]+$/, (signature) => signature.toUpperCase())],
  ])('do not hold with %s', async (_what, forge) => {
    const { id } = await alice.upload(project.root_folder, `forged ${_what}`);
    const { body: link } = await alice.get(`/files/${id}/download_info`);
    expect((await fetch(forge(link.url))).status).toBe(403);
  });
});

describe('the R client', () => {
  /** It writes what was not given as null, an empty body as `{}`, and asks for a page of all fields on every call. */
  const ALL = 'limit=50&offset=0&fields=_all';
  const post = (path: string, body: unknown) =>
    alice.post(`${path}${path.includes('?') ? '&' : '?'}${ALL}`, body);
  let volume: { readonly id: string };
  let task: { readonly id: string };
  let file: { readonly id: string; readonly name: string };

  beforeAll(async () => {
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    const store = { type: 's3', bucket: 'r-client', prefix: null, endpoint: null, credentials };
    const properties = { sse_algorithm: 'AES256' };
    const body = { name: 'r', description: null, access_mode: 'RW', service: { ...store, properties } };
    volume = (await post('/storage/volumes', body)).body;
    file = await alice.upload(project.root_folder, 'r.txt');
    await alice.post(`/apps/${project.id}/r/raw`, { class: 'CommandLineTool', inputs: [], outputs: [] });
    task = (
      await post('/tasks/', { name: null, project: project.id, app: `${project.id}/r`, description: null })
    ).body;
    await service.user('bob');
    await alice.post('/projects', { name: 'R copies' });
  });

  test.each<[string, () => [path: string, body: unknown]]>([
    [
      'a project',
      () => [
        '/projects',
        {
          name: 'R',
          description: 'R',
          tags: null,
          billing_group: null,
          settings: {
            locked: false,
            controlled: false,
            location: null,
            use_interruptible_instances: true,
            use_memoization: false,
            use_elastic_disk: false,
            intermediate_files: { retention: 'LIMITED', duration: 24 },
          },
        },
      ],
    ],
    [
      'a member',
      () => [
        `/projects/${project.id}/members`,
        {
          username: 'bob',
          email: null,
          permissions: {
            read: true,
            copy: null,
            write: null,
            execute: null,
            admin: null,
          },
        },
      ],
    ],
    [
      'a member of a volume',
      () => [
        `/storage/volumes/${volume.id}/members`,
        { username: 'bob', permissions: { read: true, copy: false, write: false, admin: false } },
      ],
    ],
    ['a copy', () => [`/files/${file.id}/actions/copy`, { project: 'alice/r-copies', name: null }]],
    ['a move', () => [`/files/${file.id}/actions/move`, { parent: project.root_folder, name: null }]],
    [
      'an app copy',
      () => [
        `/apps/${project.id}/r/actions/copy`,
        { project: 'alice/r-copies', name: null, strategy: 'clone' },
      ],
    ],
    [
      'an export',
      () => [
        '/storage/exports?copy_only=TRUE',
        {
          destination: { volume: volume.id, location: 'r.txt' },
          source: { file: file.id },
          overwrite: false,
          properties: null,
        },
      ],
    ],
    [
      'an import',
      () => [
        '/storage/imports',
        {
          source: { volume: volume.id, location: 'r.txt' },
          destination: { project: null, parent: project.root_folder, name: null },
          overwrite: false,
          autorename: false,
          preserve_folder_structure: null,
        },
      ],
    ],
    ['a run', () => [`/tasks/${task.id}/actions/run?batch=FALSE&use_interruptible_instances=TRUE`, {}]],
    ['a clone', () => [`/tasks/${task.id}/actions/clone`, {}]],
    ['an abort', () => [`/tasks/${task.id}/actions/abort`, {}]],
    ['a folder', () => ['/files', { name: 'r-folder', parent: project.root_folder, type: 'FOLDER' }]],
  ])('posts %s', async (_what, call) => {
    const { status, body } = await post(...call());
    expect([status, body.message]).toEqual([200, undefined]);
  });

  test('leaves null in a body what must be given, and what null means something for', async () => {
    expect((await post('/storage/exports', { source: { file: null }, destination: null })).status).toBe(400);
    const export_ = { source: { file: file.id }, destination: { volume: volume.id, location: 'plain' } };
    const { body } = await post('/storage/exports', { ...export_, properties: { sse_algorithm: null } });
    expect(body.properties.sse_algorithm).toBeNull();
    const items = [{ ...export_, properties: null, overwrite: null }];
    expect((await post('/bulk/storage/exports/create', { items })).body.items[0]).toHaveProperty('resource');
  });

  test('reports parts with the quotes of their ETags', async () => {
    const start = { name: 'r parts', size: 3, part_size: 5242880, project: project.id };
    const { upload_id } = (await post('/upload/multipart?overwrite=FALSE', start)).body;
    const report = await alice.putPart(upload_id, 1, 'abc');
    report.response.headers.ETag = `"${report.response.headers.ETag}"`;
    expect((await post(`/upload/multipart/${upload_id}/part`, report)).status).toBe(200);
    expect((await post(`/upload/multipart/${upload_id}/complete`, { parts: [report] })).body.size).toBe(3);
  });

  test.each([
    () => '/user/',
    () => '/tasks/',
    () => `/apps?fields=!raw&visibility=private`,
    () => `/storage/volumes/${volume.id}/list`,
    () => '/rate_limit',
    () => '/billing/groups',
    () => '/upload/multipart',
  ])('asks for pages: %s', async (path) => {
    const url = path();
    const { status, body } = await alice.get(`${url}${url.includes('?') ? '&limit=50&offset=0' : `?${ALL}`}`);
    expect([status, body.message]).toEqual([200, undefined]);
  });
});

describe('the Java client', () => {
  test('asks for exports to overwrite in the query', async () => {
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    const store = { type: 'S3', bucket: 'java-client', credentials };
    const made = await alice.post('/storage/volumes', { name: 'java', access_mode: 'RW', service: store });
    const { id } = await alice.upload(project.root_folder, 'java.txt');
    const body = { source: { file: id }, destination: { volume: made.body.id, location: 'x' } };
    expect((await alice.post('/storage/exports?overwrite=true', body)).body.overwrite).toBe(true);
  });

  test('writes the action of a task in capitals', async () => {
    await alice.post(`/apps/${project.id}/java/raw`, { class: 'CommandLineTool', inputs: [], outputs: [] });
    const body = { project: project.id, app: `${project.id}/java` };
    expect((await alice.post('/tasks?action=RUN', body)).body.status).not.toBe('DRAFT');
  });
});
