/** Exact counts of what programs that walk a tree cost, at a service that counts them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mustRun, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const FOLDERS = 15;
const FILES = FOLDERS * 12;

/** A mount that knows nothing looks up the project, the folder, and the first names in it. */
const ITS_PATH = 4;

let served: ServedMount;
let project: string;

beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
  await shell(
    `mkdir t; cd t; for i in $(seq ${FOLDERS}); do mkdir d$i; for j in $(seq 12); do echo $i $j > d$i/f$j; done; done`,
    { cwd: project },
  );
  await mustRun('setfattr', ['-n', 'user.sample_id', '-v', 'S1', `${project}/t/d1/f1`]);
});
afterAll(() => served?.sandbox.clean());

/** The calls by route, and all of them, of a mount that knows nothing but the project. */
async function cold(work: () => Promise<unknown>) {
  await served.unmount();
  await served.mount();
  await mustRun('stat', [project]);
  const apiCalls = await served.countingCalls(work);
  return { apiCalls, apiRequests: Object.values(apiCalls).reduce((sum, count) => sum + count, 0) };
}

test.each([
  ['cp -r', 't-r'],
  ['cp -a', 't-a'],
  ['cp -a', '../trio-exomes/t-a'],
])('%s of a folder to %s is a copy a file, which takes the attributes along, and no link', async (cp, to) => {
  const { apiCalls, apiRequests } = await cold(() => shell(`${cp} t ${to}`, { cwd: project }));
  expect(apiCalls).toMatchObject({
    'POST /v2/files/:file_id/actions/copy': FILES,
    'POST /v2/files': FOLDERS + 1,
  });
  // The first file might have been read.
  expect(apiCalls['GET /v2/files/:file_id/download_info'] ?? 0).toBeLessThanOrEqual(1);
  expect(apiCalls['PATCH /v2/files/:file_id'] ?? 0).toBe(0);
  expect(apiRequests, JSON.stringify(apiCalls)).toBeLessThanOrEqual(1.2 * FILES);
  const facts = (folder: string) => shell(`find . -type f -printf '%P %s %m %t\\n' | sort`, { cwd: folder });
  if (cp === 'cp -a') expect(await facts(`${project}/${to}`)).toEqual(await facts(`${project}/t`));
  const pair = await mustRun('getfattr', ['--only-values', '-n', 'user.sample_id', `${project}/${to}/d1/f1`]);
  expect(pair).toBe('S1');
});

test('a walker that looks for ignore files in each folder before it lists it costs a request a folder', async () => {
  const walk = `for d in . d*; do for n in .gitignore .ignore .fdignore; do cat $d/$n; done 2>/dev/null || true; ls -a $d; done > /dev/null`;
  const { apiCalls, apiRequests } = await cold(() => shell(walk, { cwd: `${project}/t` }));
  expect(apiRequests, JSON.stringify(apiCalls)).toBeLessThanOrEqual(FOLDERS + 1 + ITS_PATH);
});

test('rm -r costs a deletion an entry, and at most two looks a folder', async () => {
  const { apiCalls, apiRequests } = await cold(() => shell('rm -r t-r', { cwd: project }));
  expect(apiCalls).toMatchObject({ 'DELETE /v2/files/:file_id': FILES + FOLDERS + 1 });
  // The mount asks again for entries that it has known for longer than a second before it removes them, a folder at a time.
  expect(apiRequests, JSON.stringify(apiCalls)).toBeLessThanOrEqual(FILES + 3 * (FOLDERS + 1) + ITS_PATH);
});

test('mkdir -p costs a request a folder', async () => {
  const { apiCalls, apiRequests } = await cold(() =>
    shell('mkdir -p made/{a,b,c,d}/{1,2,3,4}/{1,2,3,4}', { cwd: project }),
  );
  const made = 1 + 4 + 16 + 64;
  expect(apiCalls).toMatchObject({ 'POST /v2/files': made });
  expect(apiRequests, JSON.stringify(apiCalls)).toBeLessThanOrEqual(made + ITS_PATH);
});
