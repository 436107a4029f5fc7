import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  ids.push(root_folder, file.id, started.body.upload_id);
});
afterAll(() => service.stop());

const CALLS: readonly [string, string][] = [
  ['GET', '/user'],
  ['GET', '/users/:id'],
  ['GET', '/projects'],
  ['POST', '/projects'],
  ['GET', '/projects/:id/:id'],
  ['PATCH', '/projects/:id/:id'],
  ['POST', '/projects/:id/:id/members'],
  ['PUT', '/projects/alice/bad/members/:id/permissions'],
  ['GET', '/projects/:id/:id/files'],
  ['GET', '/files'],
  ['POST', '/files'],
  ['GET', '/files/scroll'],
  ['GET', '/files/:id'],
  ['PATCH', '/files/:id'],
  ['GET', '/files/:id/list'],
  ['GET', '/files/:id/scroll'],
  ['GET', '/files/:id/download_info'],
  ['PATCH', '/files/:id/metadata'],
  ['PUT', '/files/:id/metadata'],
  ['PUT', '/files/:id/tags'],
  ['POST', '/files/:id/actions/copy'],
  ['POST', '/files/:id/actions/move'],
  ['POST', '/upload/multipart'],
  ['GET', '/upload/multipart'],
  ['GET', '/upload/multipart/:id'],
  ['POST', '/upload/multipart/:id'],
  ['POST', '/upload/multipart/:id/part'],
  ['GET', '/upload/multipart/:id/part/:id'],
  ['POST', '/upload/multipart/:id/complete'],
  ['POST', '/upload/inline'],
];

const FIELDS = [
  'name type parent project metadata tags size part_size parts part_number response settings permissions',
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
  fc.nat(5).map((at) => ids[at] ?? ''),
);
/** What stands in a path: mostly something that is there. */
const segment = fc.oneof({ weight: 3, arbitrary: fc.nat(5).map((at) => ids[at] ?? '') }, text);
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

test('no request, however wrong, makes the service fail, hang, or answer out of shape', async () => {
  const requests = fc.tuple(
    fc.constantFrom(...CALLS),
    fc.array(segment, { minLength: 3, maxLength: 3 }),
    query,
    body,
  );
  await fc.assert(
    fc.asyncProperty(requests, async ([[method, pattern], segments, pairs, sent]) => {
      const rest = segments.map((segment) => encodeURIComponent(segment.replaceAll(/\p{Surrogate}/gu, '?')));
      const path = pattern.replaceAll(':id', () => rest.pop() ?? 'x');
      const wellFormed = pairs.map(([name, given]): [string, string] => [
        name.replaceAll(/\p{Surrogate}/gu, '?'),
        given.replaceAll(/\p{Surrogate}/gu, '?'),
      ]);
      const answer = await alice.call(method, `${path}?${new URLSearchParams(wellFormed)}`, {
        ...(method === 'GET' || sent === undefined ? {} : { body: sent }),
      });
      expect(answer.status).toBeLessThan(500);
      if (answer.status >= 400) {
        expect(answer.body).toEqual({
          status: answer.status,
          code: expect.any(Number),
          message: expect.any(String),
          more_info: expect.any(String),
        });
      }
    }),
    { numRuns: 1000 },
  );
  expect(service.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
