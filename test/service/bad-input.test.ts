import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, describedCalls } from './described-calls.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
const ids: string[] = ['alice', 'alice/bad', 'nothing'];

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const { root_folder } = await alice.project('Bad');
  const file = await alice.upload(root_folder, 'file');
  const started = await alice.post('/upload/multipart', { parent: root_folder, name: 'upload' });
  const tool = { class: 'CommandLineTool', inputs: { text: 'File?' }, outputs: [] };
  await alice.post('/apps/alice/bad/app/raw', tool);
  const task = await alice.post('/tasks', { project: 'alice/bad', app: 'alice/bad/app' });
  const group = await service.operator.createBillingGroup('alice', 'Funds');
  ids.push(root_folder, file.id, started.body.upload_id, 'bad', 'app', '0', task.body.id, group);
});

afterAll(() => service.stop());

const FIELDS = [
  'name type parent project metadata tags size part_size parts part_number response settings permissions',
  'app inputs batch batch_by batch_input criteria class outputs id source destination volume location items file',
  'file_ids task_ids visibility q status order_by created_from date_from invoice_id action strategy wait state',
  'username billing_group description overwrite offset limit fields token list_parts metadata.key tag origin.task',
].flatMap((words) => words.split(' '));

/** Text as people and attackers send it. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    'null',
    'true',
    '../..',
    '%',
    "' or 1=1 --",
    '\0',
    '\ud800',
    'folder',
  ),
  fc.nat(20).map((at) => ids[at % ids.length] ?? ''),
);
/** A segment of a path: mostly the id of something that is there. */
const segment = fc.oneof({ weight: 3, arbitrary: fc.nat(20).map((at) => ids[at % ids.length] ?? '') }, text);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 2 ** 53),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), tie('any'), { maxKeys: 4 }),
  ),
})).any;
const body = fc.option(
  fc.oneof(value, fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(text, value), { maxKeys: 5 })),
  { nil: undefined },
);
const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), text), { maxLength: 4 });

/** One call with bodies that its schema allows, and with others. */
function requestsOf({ method, path, schema }: Call) {
  const valid =
    schema === undefined
      ? []
      : [{ weight: 3, arbitrary: schemaArbitrary(schema, { text: segment, anything: value }) }];
  return fc.record({
    method: fc.constant(method),
    path: fc.array(segment.filter(isKept), { minLength: 5, maxLength: 5 }).map((segments) => {
      const rest = segments.map((each) => encodeURIComponent(wellFormed(each)));
      return path.replaceAll(/\{[^}]+\}/g, () => rest.pop() ?? 'x');
    }),
    query: fc.oneof({ weight: 2, arbitrary: fc.constant<[string, string][]>([]) }, query),
    sent: fc.oneof({ weight: 1, arbitrary: body }, ...valid),
  });
}

/** A client takes these for directions, and asks for another path. */
function isKept(segment: string): boolean {
  return segment !== '.' && segment !== '..';
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '?');
}

/** For thousands of requests, on whatever database and however busy a machine. */
const timeout = 300_000;

test('no request, however wrong, makes the service fail, hang, or answer out of shape', {
  timeout,
}, async () => {
  const calls = await describedCalls(service.url);
  const requests = fc.oneof(...calls.map(requestsOf));
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, path, query: pairs, sent }) => {
      const words = pairs.map(([name, given]): [string, string] => [wellFormed(name), wellFormed(given)]);
      const answer = await alice.call(method, `${path}?${new URLSearchParams(words)}`, {
        ...(method === 'GET' || sent === undefined ? {} : { body: sent }),
      });
      expect(answer.status).toBeLessThan(500);
    }),
    { numRuns: 5000 },
  );
  expect(service.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
