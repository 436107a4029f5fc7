/**
 * Every call of the API gets requests that no schema allows and no well-behaved client sends. Each is refused in the
 * standard shape, or passed over; none makes the service fail. Bodies that keep to JSON and lie are in
 * bad-input.test.ts.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, describedCalls } from './described-calls.ts';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let calls: Call[];
let ids: Record<string, string>;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const project = await alice.project('Hostile');
  const file = await alice.upload(project.root_folder, 'file');
  const started = await alice.post('/upload/multipart', { parent: project.root_folder, name: 'upload' });
  await alice.post('/apps/alice/hostile/app/raw', { class: 'CommandLineTool', inputs: [], outputs: [] });
  const task = await alice.post('/tasks', { project: 'alice/hostile', app: 'alice/hostile/app' });
  const group = await service.operator.createBillingGroup('alice', 'Funds');
  ids = {
    owner: 'alice',
    project: 'hostile',
    app: 'app',
    revision: '0',
    username: 'alice',
    file_id: file.id,
    upload_id: started.body.upload_id,
    part_number: '1',
    task_id: task.body.id,
    group,
  };
  calls = await describedCalls(service.url);
});
afterAll(() => service.stop());

/** Of the call, with ids of what is there. */
const pathOf = ({ path }: Call): string =>
  path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => ids[name] ?? 'none');
/** Calls that would take away what the others need. */
const harmless = (call: Call): boolean => call.method !== 'DELETE';

interface Raw {
  readonly type?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers what came, when it is not what it should be. */
async function complaint(call: Call, path: string, { type = 'application/json', body, headers }: Raw) {
  const answer = await fetch(`${service.url}${path}`, {
    method: call.method,
    redirect: 'manual',
    headers: { 'X-SVC-Auth-Token': alice.token, 'Content-Type': type, ...headers },
    ...(body === undefined || call.method === 'GET' ? {} : { body }),
  });
  const text = await answer.text();
  if (answer.status < 400) return [];
  const error = JSON.parse(text);
  const shaped = error.status === answer.status && typeof error.code === 'number' && !/\n\s+at /.test(text);
  return answer.status < 500 && shaped
    ? []
    : [`${call.method} ${path}: ${answer.status} ${text.slice(0, 300)}`];
}

async function toEveryCall(raw: Raw, pathFor: (call: Call) => string = pathOf): Promise<string[]> {
  const complaints: string[] = [];
  for (const call of calls.filter(harmless)) complaints.push(...(await complaint(call, pathFor(call), raw)));
  const failures = service.logger.lines.splice(0).filter(({ level }) => level === 'error');
  return [...complaints, ...failures.map((line) => JSON.stringify(line))].map((line) => line.slice(0, 300));
}

const DEEP = 100_000;

test.each<[string, Raw]>([
  ['nothing under the type of JSON', { body: '' }],
  ['JSON that breaks off', { body: '{"name":"x' }],
  ['JSON with something after it', { body: '{} {}' }],
  ['a byte order mark', { body: '\ufeff{}' }],
  ['bytes that are no UTF-8', { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }],
  ['UTF-16', { body: new Uint8Array(Buffer.from('{"name":"x"}', 'utf16le')) }],
  ['half of a surrogate pair', { body: '{"name":"\\ud800","query":"\\udfff","text":"\\ud800"}' }],
  ['NUL', { body: '{"name":"\\u0000","query":"\\u0000","text":"\\u0000","username":"\\u0000"}' }],
  ['lists in lists, very deep', { body: '['.repeat(DEEP) + ']'.repeat(DEEP) }],
  ['objects in objects, very deep', { body: `${'{"name":'.repeat(DEEP)}1${'}'.repeat(DEEP)}` }],
  [
    'depth inside of what may be anything',
    { body: `{"class":"CommandLineTool","inputs":${'['.repeat(5000)}${']'.repeat(5000)},"outputs":[]}` },
  ],
  [
    'keys of a prototype',
    { body: '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"toString":1}' },
  ],
  ['the same key twice', { body: '{"name":"a","name":{"b":1}}' }],
  ['numbers that are none', { body: '{"size":1e400,"part_size":-1e400,"part_number":1e400,"name":"x"}' }],
  [
    'numbers beyond exactness',
    { body: '{"size":9007199254740993,"part_number":99999999999999999999,"name":"x"}' },
  ],
  ['a number of many digits', { body: `{"size":${'9'.repeat(100_000)}}` }],
  [
    'very many keys',
    { body: JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, '']))) },
  ],
  [
    'very many items',
    { body: JSON.stringify({ items: Array(20_000).fill({}), file_ids: Array(1000).fill('x') }) },
  ],
  [
    'a very long name',
    { body: JSON.stringify({ name: 'x'.repeat(1_000_000), project: 'alice/hostile', type: 'folder' }) },
  ],
  ['a form', { type: 'application/x-www-form-urlencoded', body: 'name=x&__proto__[admin]=1' }],
  [
    'a form of parts',
    {
      type: 'multipart/form-data; boundary=b',
      body: '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b--',
    },
  ],
  [
    'XML',
    { type: 'application/xml', body: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>' },
  ],
  [
    'YAML that builds objects',
    {
      type: 'application/yaml',
      body: 'class: !!js/function "function () {}"\n__proto__: {x: 1}\n<<: {y: 2}',
    },
  ],
  ['YAML, very deep', { type: 'application/yaml', body: '['.repeat(DEEP) }],
  ['YAML as one text in JSON, very deep', { body: JSON.stringify('['.repeat(10_000)) }],
  ['a type that is none', { type: 'nonsense', body: '{}' }],
  ['a type with a foreign charset', { type: 'application/json; charset=utf-7', body: '{}' }],
  ['a body said to be compressed', { body: '{}', headers: { 'Content-Encoding': 'gzip' } }],
])('a body of %s', async (_what, raw) => {
  expect(await toEveryCall(raw)).toEqual([]);
});

test.each<[string, string]>([
  ['very many keys', Array.from({ length: 1000 }, (_, at) => `k${at}=${at}`).join('&')],
  ['one key very often', Array(1000).fill('name=x').join('&')],
  ['numbers twice', 'limit=1&limit=2&offset=0&offset=1'],
  ['numbers beyond range', 'limit=1e3&offset=99999999999999999999&wait=1e9'],
  ['an offset that is large', 'offset=9007199254740991'],
  ['an offset beyond exactness', 'offset=9007199254740993'],
  ['keys of a prototype', '__proto__=x&__proto__[a]=1&constructor=y&toString=z&hasOwnProperty=1'],
  ['keys in brackets', 'limit[]=1&name[a]=1&fields[$ne]=x'],
  ['fields without end', `fields=${'a.'.repeat(2000)}a`],
  ['very many fields', `fields=${Array.from({ length: 2000 }, (_, at) => `f${at}`).join(',')}`],
  ['fields of a prototype', 'fields=__proto__,constructor.name,toString,!__proto__'],
  ['fields that are none', 'fields=,,!,!!,.,a..b,_all._all'],
  ['escapes that are none', 'name=%zz&fields=%'],
  ['bytes that are no UTF-8', 'name=%ff%fe&tag=%c0%80&token=%ff'],
  ['NUL', 'name=%00&q=%00&location=%00&prefix=%00&project=%00'],
  ['half of a surrogate pair', 'name=%ed%a0%80&location=%ed%a0%80'],
  ['metadata without a key, and with one that is long', `metadata.=x&metadata.${'k'.repeat(5000)}=x`],
  ['very many filters', Array.from({ length: 300 }, (_, at) => `metadata.k${at}=${at}&tag=${at}`).join('&')],
  ['no keys', '&&&=&=x&=='],
])('a query of %s', async (_what, query) => {
  const answers = await toEveryCall({}, (call) => `${pathOf(call)}?${query}&project=alice/hostile`);
  expect(answers).toEqual([]);
});

test.each<[string, string]>([
  ['a name that is long', 'x'.repeat(1000)],
  ['a name beyond what paths may hold', 'x'.repeat(5000)],
  ['dots', '%2e%2e'],
  ['an escaped slash', '..%2f..%2fetc%2fpasswd'],
  ['NUL', 'a%00b'],
  ['bytes that are no UTF-8', '%ff%fe'],
  ['a key of a prototype', '__proto__'],
  ['a name all objects have', 'constructor'],
  ['a space', '%20'],
  ['a number', '-1'],
  ['a large number', '99999999999999999999'],
  ['characters beyond the first plane', '%F0%9F%A7%AC'],
])('a path with %s', async (_what, segment) => {
  const paths = (call: Call) => call.path.replaceAll(/\{[^}]+\}/g, segment);
  expect(await toEveryCall({}, paths)).toEqual([]);
});

describe('headers', () => {
  test.each<[string, Record<string, string>]>([
    ['a token that is long', { 'X-SVC-Auth-Token': 'x'.repeat(8000) }],
    ['a bearer token without one', { Authorization: 'Bearer' }],
    ['a host with a path', { 'X-Forwarded-Host': 'evil/../', 'X-Forwarded-Proto': 'javascript' }],
    ['a range that is none', { Range: 'bytes=-,,-5,x-' }],
    ['a request id with a line of its own', { 'X-Request-Id': 'a'.repeat(7000) }],
    ['many', Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`X-H${at}`, 'x']))],
  ])('with %s', async (_what, headers) => {
    expect(await toEveryCall({ headers })).toEqual([]);
  });
});

describe('a body on a GET', () => {
  test.each(['null', '{', '[1]', 'x'.repeat(100_000)])('%.20s', async (body) => {
    for (const call of calls.filter(({ method }) => method === 'GET')) {
      expect(await rawStatus(call, body)).toBeLessThan(500);
    }
  });
});

async function rawStatus(call: Call, body: string): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(
    `GET /v2${pathOf(call)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-SVC-Auth-Token: ${alice.token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Number(Buffer.concat(chunks).toString().split(' ')[1]);
}

test('the service is as it was', async () => {
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect((await alice.get(`/files/${ids['file_id']}`)).body.name).toBeDefined();
  expect((await request('GET', `${service.url}/`)).status).toBe(200);
});
