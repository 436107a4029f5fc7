/** A mount of the platform as it is published, without what our service adds: none of that is required. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { errorOf, FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Several parts, and many ranges. */
const LARGE_BYTES = 50 * 1024 * 1024;

let world: FaultWorld;
let large: string;

const isRoot = ({ method, path }: SeenRequest): boolean => method === 'GET' && path === '/v2/';

beforeAll(async () => {
  world = await FaultWorld.start();
  large = world.outside('large');
  await shell(`head -c ${LARGE_BYTES} /dev/urandom > ${large}`);
  const root = (await (await fetch(`${world.proxy.origin}/v2/`)).json()) as { capabilities: string[] };
  expect(root.capabilities).not.toEqual([]);
  const body = JSON.stringify({ ...root, capabilities: [] });
  world.proxy.inject({ kind: 'answer', status: 200, body }, { when: isRoot });
});
beforeEach(() => world.remount());
afterAll(() => world?.clean());

/** In a new folder of the project. */
async function within(folder: string, script: string): Promise<string> {
  return shell(`mkdir ${world.own(folder)}; cd ${world.own(folder)}; ${script}`);
}

/** How often `work` had the mount call what. */
async function callsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = (await world.sandbox.statistics()).api.calls;
  await work();
  const after = Object.entries((await world.sandbox.statistics()).api.calls);
  const made = after.map(([route, count]) => [route, count - (before[route] ?? 0)] as const);
  return Object.fromEntries(made.filter(([, count]) => count > 0));
}

it('files of one part and of many come back as they were written, from the next mount too', async () => {
  const compare = `seq 1000 | cmp - small; cmp ${large} large; [ "$(echo *)" = 'empty large small' ]`;
  await within('written', `: > empty; seq 1000 > small; cp ${large} large; ${compare}`);
  await world.remount();
  await shell(`cd ${world.own('written')}; ${compare}; [ ! -s empty ]`);
});

it('programs change files and folders as on a disk', async () => {
  const changes = [
    'echo one > a; echo two > b; echo more >> a; cat a',
    'mv a c; ls',
    // Over a file, and over one that is being read.
    'mv c b; cat b; exec 4< b; echo new > d; mv d b; cat <&4; exec 4<&-; cat b; ls',
    'mkdir -p e/f; mv b e/f/g; find . | sort; rm e/f/g; rm -r e; ls -A',
  ].join('; ');
  const printed = await shell(`mkdir ${world.outside('local')}; cd ${world.outside('local')}; ${changes}`);
  expect(await within('changed', changes)).toBe(printed);
  // A file that was replaced or removed while open goes with its last handle.
  await waitUntil(async () => (await world.files()).every((name) => !name.startsWith('.svcfs-aside')));
});

it('mv to a volume leaves a file that reads the same; the object is read nowhere else, and says so', async () => {
  const object = world.volume('results', 'object');
  await within('exported', `seq 1000 > a; mv a ${object}; seq 1000 | cmp - a`);
  await expect(shell(`cat ${object}`)).rejects.toThrow('Input/output error');
  expect(await errorOf(object)).toContain('this service gives no links to volume objects');
});

it('a small file is written by three requests: its upload, the address of its part, its completion', async () => {
  await within('counted', 'ls');
  expect(await callsOf(() => shell(`echo text > ${world.own('counted', 'small')}`))).toEqual({
    'POST /upload/multipart': 1,
    'GET /upload/multipart/{uploadId}/part/{partNumber}': 1,
    'POST /upload/multipart/{uploadId}/complete': 1,
  });
});

it('a listed file is read by one link', async () => {
  await within('read', 'echo text > small');
  await world.remount();
  await shell(`ls -l ${world.own('read')}`);
  const { 'GET /files/{id}': details = 0, ...others } = await callsOf(() =>
    shell(`cat ${world.own('read', 'small')}`),
  );
  expect(others).toEqual({ 'GET /files/{id}/download_info': 1 });
  // Asked for when what was listed is more than a second old by now.
  expect(details).toBeLessThanOrEqual(1);
});
