/**
 * What the platform's public Python client puts on the wire where that is not what one would expect; recorded from runs
 * of scripts/conformance, which needs the client itself.
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
    await alice.post('/projects', { name: 'One tag', tags: ['a'] });
    await alice.post('/projects', { name: 'Both tags', tags: ['a', 'b'] });
    const query = '/projects/?fields=_all&tags=a';
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
