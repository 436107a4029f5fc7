/** The rate limit is shared fairly: who looks goes before who changes, and once all is spent, what is known is believed. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BackgroundProcess } from '../support/background-process.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const LIMIT = 200;

let world: FaultWorld;
let known: string;
let unknown: string;
let looped: string;
let loop: BackgroundProcess;

/** No interval ends while these run. */
beforeAll(async () => {
  world = await FaultWorld.start({
    serveArgs: ['--rate-limit', `${LIMIT}/300`],
    mountArgs: ['--metadata-ttl', '3'],
  });
  [known, unknown, looped] = [world.own('known'), world.own('unknown'), world.own('looped')];
  for (const name of ['unknown', 'never-seen'])
    await ask('POST', '/files', { ...(await root()), name, type: 'folder' });
  await shell(`mkdir ${known}; echo a > ${known}/a; echo b > ${known}/b; echo > ${looped}; ls ${known}`);
  loop = repeat(`setfattr -n user.n -v $RANDOM ${looped}`);
});
afterAll(() => world?.clean());

/** As another client of the same token, past the mount. */
async function ask(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${world.origin}/v2${path}`, {
    method,
    headers: {
      'X-SVC-Auth-Token': world.token,
      'X-SVC-Advance-Access': 'advance',
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function root(): Promise<{ readonly parent: string }> {
  const answer = await ask('GET', '/projects/ann/study');
  const { root_folder: parent } = (await answer.json()) as { root_folder: string };
  return { parent };
}

/** A program beside the test, in a process group of its own as every job of a shell. */
function begin(script: string): BackgroundProcess {
  return world.sandbox.startProgram('setsid', ['bash', '-c', script]);
}

function repeat(command: string): BackgroundProcess {
  return begin(`while :; do ${command}; done`);
}

/** Ctrl-C, and how the program ended. */
async function interrupt(program: BackgroundProcess): Promise<number | NodeJS.Signals> {
  process.kill(-program.pid, 'SIGINT');
  return program.exited();
}

const requests = (pattern: RegExp): number =>
  world.proxy.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length;
const errors = (): Promise<string> => readFile(world.sandbox.path('.svcfs', 'errors'), 'utf8');
const WAITS = 'waiting for the rate limit until \\d\\d:\\d\\d:\\d\\d, \\d+ calls? before it';

it('lets a person look at once while a program changes attributes at the limit', async () => {
  await waitUntil(async () => {
    const { window, calls } = (await world.sandbox.statistics()).api.rate;
    const isPaced = typeof window === 'object' && window.remaining <= LIMIT / 2;
    return isPaced && calls.some(({ program }) => program?.operation === 'setxattr');
  });
  const [changed, looked] = [requests(/^PATCH/), requests(/^GET/)];
  expect(await shell(`ls ${known}; ls -la ${unknown}; cat ${known}/a`)).toMatch(/^a\nb\ntotal 0\n.*\na\n$/s);
  // The changes come seconds apart.
  expect(requests(/^PATCH/) - changed).toBeLessThanOrEqual(1);
  expect(requests(/^GET/)).toBeGreaterThan(looked);
  const line = new RegExp(`setxattr /projects/ann/study/looped \\(process \\d+\\): ${WAITS}`);
  await waitUntil(async () => line.test(await errors()));
  const told = await waitUntil(async () => {
    const { stdout } = await world.sandbox.svcfs(['why', looped]);
    return line.test(stdout) && stdout;
  });
  expect(told).toMatch(line);
});

it('answers from what is known once the limit is spent, and says so', async () => {
  while ((await ask('GET', '/user')).status !== 429);
  await waitUntil(async () => {
    const { window } = (await world.sandbox.statistics()).api.rate;
    return typeof window === 'object' && window.remaining === 0;
  });
  await waitUntil(async () => {
    await shell(`ls -l ${known}`);
    return (await world.sandbox.statistics()).believed.answers > 0;
  });
  const sent = world.proxy.requests.length;
  expect(await shell(`ls ${known}; stat -c %s ${known}/b; cat ${known}/a; ls ${unknown}`)).toBe(
    'a\nb\n2\na\n',
  );
  expect(world.proxy.requests).toHaveLength(sent);
  const { stdout } = await world.sandbox.svcfs(['status']);
  expect(stdout).toMatch(/believed: the limit is spent: names, listings and attributes that have expired/);
  expect(stdout).toMatch(new RegExp(WAITS));
});

it.each([
  ['opens to write', 'open', () => `echo more >> ${known}/a`],
  ['removes', 'unlink', () => `rm ${known}/b`],
  ['makes a folder', 'mkdir', () => `mkdir ${known}/new`],
  ['lists what nobody has seen', '(?:opendir|lookup)', () => `ls ${world.own('never-seen')}`],
])('has a program that %s wait for the limit, which Ctrl-C ends', async (_, operation, script) => {
  const sent = world.proxy.requests.length;
  const program = begin(script());
  const line = new RegExp(`now: ${operation} /projects/ann/study/\\S+ \\(process \\d+\\): ${WAITS}`);
  await waitUntil(async () => line.test(await errors()), { what: `${line} in .svcfs/errors` });
  const beganMs = performance.now();
  expect(await interrupt(program)).toBe('SIGINT');
  expect(performance.now() - beganMs).toBeLessThan(5_000);
  await waitUntil(async () => !line.test(await errors()), { what: `no ${line} in .svcfs/errors any more` });
  expect(world.proxy.requests).toHaveLength(sent);
});

it('lets the loop that waits be interrupted, too', async () => {
  const sent = requests(/^PATCH/);
  await interrupt(loop);
  await waitUntil(async () => !/now: setxattr/.test(await errors()));
  expect(requests(/^PATCH/)).toBe(sent);
});
