import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/error-codes.ts';
import { MATRIX } from './permission-matrix.ts';
import type { Row, Rule, World } from './permission-terms.ts';
import { type Answer, request, TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

const PAGE = readFileSync(new URL('../../src/service/CALLS.md', import.meta.url), 'utf8');
const CALLS = [...PAGE.matchAll(/^\| `([A-Z]+ \/v2\S*)` \| \w+ \| \S+ \| \S+ \|$/gm)].map(
  ([, call]) => call ?? '',
);

const ALL_PROJECT = ['read', 'copy', 'write', 'execute', 'admin'];
const ALL_VOLUME = ['read', 'copy', 'write', 'admin'];

/** The permissions of a user in alice's project and on her volume; none: not a member. */
interface Role {
  readonly name: string;
  readonly project: readonly string[];
  readonly volume: readonly string[];
}

const role = (name: string, project: readonly string[], volume: readonly string[]): Role => ({
  name,
  project,
  volume,
});

/** A member of a project always reads, and an administrator may do everything. */
const ROLES: readonly Role[] = [
  role('a stranger', [], []),
  role('a reader of the project', ['read'], []),
  role('a copier of the project', ['read', 'copy'], []),
  role('a writer of the project', ['read', 'write'], []),
  role('an executor of the project', ['read', 'execute'], []),
  role('an administrator of the project', ALL_PROJECT, []),
  role('a reader of the volume', [], ['read']),
  role('a copier of the volume', [], ['copy']),
  role('a writer of the volume', [], ['write']),
  role('an administrator of the volume', [], ALL_VOLUME),
  role('a reader of the project and copier of the volume', ['read'], ['copy']),
  role('a writer of the project and reader of the volume', ['read', 'write'], ['read']),
  role('a writer of the project and copier of the volume', ['read', 'write'], ['copy']),
  role('a writer of the project and of the volume', ['read', 'write'], ['write']),
];

let service: TestService;
let alice: TestUser;
let count = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
});
afterAll(() => service.stop());

async function worldFor({ project, volume }: Role): Promise<World> {
  count += 1;
  const caller = await service.user(`caller${count}`);
  const group = await service.operator.createBillingGroup('alice', `Funds ${count}`);
  const body = { name: `Project ${count}`, billing_group: group };
  const { id, root_folder: root } = (await alice.post('/projects', body)).body;
  const made = await TestVolume.make(service, alice, { name: `volume_${count}` });
  const granted = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]));
  const { username } = caller;
  if (project.length > 0) {
    await alice.post(`/projects/${id}/members`, { username, permissions: granted(project) });
  }
  if (volume.length > 0) {
    await alice.post(`/storage/volumes/${made.id}/members`, { username, permissions: granted(volume) });
  }
  return { service, alice, caller, project: id, root, volume: made, group };
}

/** `yes`, or status and code of the refusal. */
async function outcomeOf(call: string, row: Row, world: World): Promise<string> {
  const [method = ''] = call.split(' ');
  const { path, body, headers } = await row.attempt(world);
  const answer = await world.caller.call(method, path, { body, headers: headers ?? {} });
  if (answer.status >= 400) return `${answer.status} ${answer.body.code}`;
  const inside: Answer['body'] = await row.outcome?.(answer, world);
  return inside?.code === undefined ? 'yes' : `${inside.status} ${inside.code}`;
}

/** The outcome, by the rule, for a user with such permissions. */
function expected(rule: Rule, { project, volume }: Role): string {
  switch (rule.kind) {
    case 'open':
    case 'own':
      return 'yes';
    case 'private':
      return refused(rule.refusal);
    case 'project':
      return inProject(rule, project);
    case 'volume':
      return onVolume(rule.needs, volume);
    case 'transfer': {
      const there = onVolume(rule.onVolume, volume);
      return there === 'yes' ? inProject({ ...rule, needs: rule.inProject }, project) : there;
    }
  }
}

function onVolume(needs: string, permissions: readonly string[]): string {
  if (permissions.length === 0) return refused(9007);
  return needs === 'member' || permissions.includes(needs) ? 'yes' : refused(9020);
}

function inProject(
  { needs, refusal, hidden }: { readonly needs: string; readonly refusal: number; readonly hidden: number },
  permissions: readonly string[],
): string {
  if (permissions.length === 0) return refused(hidden);
  return permissions.includes(needs) ? 'yes' : refused(refusal);
}

function refused(code: number): string {
  return `${ERROR_CODES[code as ErrorCode].status} ${code}`;
}

test('the matrix has a row for every call there is', () => {
  expect(Object.keys(MATRIX).sort()).toEqual([...CALLS].sort());
});

test.each(['', 'nonsense'])('with the token %j there is nothing but the open calls', async (token) => {
  const world = await worldFor(role('a stranger', [], []));
  const outcomes: Record<string, string> = {};
  const wanted: Record<string, string> = {};
  for (const [call, row] of Object.entries(MATRIX)) {
    const [method = ''] = call.split(' ');
    const { path, body, headers } = await row.attempt(world);
    const answer = await request(method, `${service.url}${path}`, {
      body,
      headers: { 'X-SVC-Auth-Token': token, ...headers },
    });
    outcomes[call] = answer.status < 400 ? 'yes' : `${answer.status} ${answer.body.code}`;
    wanted[call] = row.rule.kind === 'open' ? 'yes' : '401 90001';
  }
  expect(outcomes).toEqual(wanted);
});

describe.each(ROLES)('$name', (given) => {
  test('may do what the permissions say, is refused what they do not, and is not told what is secret', async () => {
    const outcomes: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    let world = await worldFor(given);
    for (const [call, row] of Object.entries(MATRIX)) {
      outcomes[call] = await outcomeOf(call, row, world);
      wanted[call] = expected(row.rule, given);
      // An entry that was deleted, or put out of use, is of no use to the next call.
      if (call.startsWith('DELETE')) world = await worldFor(given);
    }
    expect(outcomes).toEqual(wanted);
  });
});
