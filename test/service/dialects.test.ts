/** The service hears the platform's words as well as its own, and answers in those it was asked in. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let project: { readonly id: string; readonly root_folder: string };

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  project = await alice.project('Words');
});
afterAll(() => service.stop());

/** As the platform's clients call. */
const asked = (method: string, path: string, body?: unknown) =>
  request(method, `${alice.url}${path}`, {
    ...(body !== undefined && { body }),
    headers: { 'X-SBG-Auth-Token': alice.token, 'X-SBG-advance-access': 'Advance' },
  });

describe('headers', () => {
  test('the token and advance access have the names of either dialect', async () => {
    const { status, body } = await asked('GET', `/projects/${project.id}`);
    expect([status, body.root_folder]).toEqual([200, project.root_folder]);
    const folder = { name: 'folder', type: 'folder', parent: project.root_folder };
    expect((await asked('POST', '/files', folder)).body.type).toBe('FOLDER');
  });

  test('a token of OAuth is a bearer, whose answer is in the words of the platform', async () => {
    const headers = { Authorization: `Bearer ${alice.token}` };
    const { status, body } = await request('GET', `${alice.url}/projects/${project.id}`, { headers });
    expect([status, body.settings.location]).toEqual([200, 'aws:local-1']);
  });

  test('a refused token is told by the name of its header', async () => {
    const tell = async (name: string) =>
      (await request('GET', `${alice.url}/user`, { headers: { [name]: 'wrong' } })).body;
    expect(await tell('X-SBG-Auth-Token')).toMatchObject({
      code: 90001,
      message: expect.stringContaining('X-SBG-Auth-Token'),
    });
    expect((await tell('X-SVC-Auth-Token')).message).toContain('X-SVC-Auth-Token');
  });
});

describe('volumes and exports', () => {
  const properties = {
    sse_algorithm: 'aws:kms',
    sse_aws_kms_key_id: 'k1',
    aws_canned_acl: 'private',
    aws_storage_class: 'STANDARD_IA',
  };
  const volume = (name: string, words: object) => ({
    name,
    access_mode: 'RW',
    service: {
      type: 's3',
      bucket: 'lab',
      prefix: 'cloud:kms',
      credentials: { access_key_id: 'k', secret_access_key: 's' },
      properties: words,
    },
  });

  test('properties come and go in the words of the call', async () => {
    const { status, body } = await asked('POST', '/storage/volumes', volume('theirs', properties));
    expect([status, body.service.properties]).toEqual([200, properties]);
    expect(body.service.prefix).toBe('cloud:kms');
    expect((await alice.get('/storage/volumes/alice/theirs')).body.service.properties).toEqual({
      sse_algorithm: 'cloud:kms',
      sse_cloud_kms_key_id: 'k1',
      cloud_canned_acl: 'private',
      cloud_storage_class: 'STANDARD_IA',
    });
    const { body: chosen } = await asked(
      'GET',
      '/storage/volumes/alice/theirs?fields=service.properties.aws_canned_acl',
    );
    expect(chosen).toEqual({ service: { properties: { aws_canned_acl: 'private' } } });
  });

  test('those of a bulk export too, and its errors name the words that were used', async () => {
    const file = await alice.upload(project.root_folder, 'aws:kms');
    const item = {
      source: { file: file.id },
      destination: { volume: 'alice/theirs', location: 'cloud:kms' },
      properties: { aws_storage_class: 'STANDARD' },
    };
    const { body } = await asked('POST', '/bulk/storage/exports/create?copy_only=True', { items: [item] });
    expect(body.items[0].resource).toMatchObject({
      destination: { location: 'cloud:kms' },
      properties: { sse_algorithm: 'aws:kms', aws_storage_class: 'STANDARD', aws_canned_acl: 'private' },
    });
    const wrong = { ...item, properties: { aws_storage_class: 7 } };
    const { body: refused } = await asked('POST', '/storage/exports', wrong);
    expect(refused).toMatchObject({ code: 90000, message: expect.stringContaining('aws_storage_class') });
  });

  test('words of the other dialect are none', async () => {
    const words = { sse_cloud_kms_key_id: 'k1' };
    const theirs = await asked('POST', '/storage/volumes', volume('neither', words));
    const ours = await alice.post('/storage/volumes', volume('neither2', { sse_aws_kms_key_id: 'k1' }));
    expect([theirs.status, theirs.body.code]).toEqual([ours.status, ours.body.code]);
  });
});

describe('files', () => {
  test('locations and the key of metadata are in the words of the call; all other values are the caller’s', async () => {
    const { id } = await alice.upload(project.root_folder, 'f');
    const metadata = { sbg_public_files_category: 'test', sample: 'svc_public_files_category' };
    expect((await asked('PATCH', `/files/${id}/metadata`, metadata)).body).toEqual(metadata);
    expect((await asked('GET', `/files/${id}`)).body).toMatchObject({
      metadata,
      storage: { hosted_on_locations: ['aws:local-1'] },
    });
    const neutral = { svc_public_files_category: 'test', sample: 'svc_public_files_category' };
    expect((await alice.get(`/files/${id}`)).body).toMatchObject({
      metadata: neutral,
      storage: { hosted_on_locations: ['cloud:local-1'] },
    });
    const query = `/files?project=${project.id}&metadata.sbg_public_files_category=test`;
    const { body } = await asked('GET', `${query}&fields=name,metadata.sbg_public_files_category&limit=1`);
    expect(body.items).toEqual([{ name: 'f', metadata: { sbg_public_files_category: 'test' } }]);
    expect(new URL(body.href).searchParams.get('fields')).toBe('name,metadata.sbg_public_files_category');
  });
});

describe('apps', () => {
  const TOOL = {
    class: 'CommandLineTool',
    $namespaces: { sbg: 'https://sevenbridges.com' },
    label: 'sbg:label',
    inputs: [{ id: '#in', type: 'File', 'sbg:fileTypes': 'BAM' }],
    outputs: [],
    'sbg:toolkit': 'samtools',
  };

  test('keys of the document begin with sbg: at any depth, and come back so', async () => {
    const id = `${project.id}/theirs`;
    const { status, body } = await asked('POST', `/apps/${id}/raw`, TOOL);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...TOOL, 'sbg:id': `${id}/0`, 'sbg:revision': 0 });
    expect(Object.keys(body).filter((key) => key.startsWith('svc:'))).toEqual([]);
    expect((await asked('GET', `/apps/${id}?fields=raw.sbg:id`)).body).toEqual({
      raw: { 'sbg:id': `${id}/0` },
    });
    const { raw } = (await alice.get(`/apps/${id}`)).body;
    expect(raw).toMatchObject({
      $namespaces: { svc: 'https://sevenbridges.com' },
      inputs: [{ 'svc:fileTypes': 'BAM' }],
      'svc:toolkit': 'samtools',
    });
    const found = await asked('GET', `/apps?project=${project.id}&q=samtools`);
    expect(found.body.items).toHaveLength(1);
  });

  test('a document in YAML has the words of its call too', async () => {
    const text = 'class: CommandLineTool\nlabel: y\ninputs: {}\noutputs: {}\nsbg:toolkit: bwa\n';
    const { body } = await asked('POST', `/apps/${project.id}/yaml/raw`, JSON.stringify(text));
    expect(body['sbg:toolkit']).toBe('bwa');
  });
});
