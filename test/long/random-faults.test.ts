/**
 * Operations while requests fail at random, in all ways that a network, a gateway and a service have. Each ends in time; what
 * succeeded is so, what failed is as before or done, and no byte is another.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileWorker } from '../model/file-worker.ts';
import type { Operation } from '../model/operations.ts';
import type { Fault, SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { waitUntil } from '../support/wait-until.ts';
import { amount, Random, SEED } from './seeded.ts';

const OPERATIONS = amount('LONG_OPERATIONS', 10_000);
const FAULTY_SHARE = 0.04;
const RETRY_SECONDS = 3;
/** An operation may be several requests, each of which may have its time. */
const HANGS_MS = 60_000;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
/** With which an operation may fail that the platform, or the way to it, did not carry out. */
const KNOWN_ERRORS = ['EIO', 'EACCES', 'EPERM', 'EAGAIN', 'ESTALE', 'EBUSY', 'ENOENT'];

function refusal(status: number): Fault {
  const body = JSON.stringify({ status, code: 5001, message: 'No right to do that.' });
  return { kind: 'answer', status, body };
}

/** Each is made so often, with other numbers. */
const FAULTS_OF_A_KIND = 4;
const FAULTS: readonly ((random: Random) => Fault)[] = [
  (random) => ({ kind: 'latency', ms: random.below(1000) }),
  () => ({ kind: 'drop' }),
  () => ({ kind: 'lose-answer' }),
  () => ({ kind: 'silence' }),
  () => ({ kind: 'drip', everyMs: 1000 }),
  (random) => ({ kind: 'reset', afterBytes: random.below(2000) }),
  (random) => ({ kind: 'truncate', afterBytes: random.below(2000) }),
  (random) => ({ kind: 'stall', afterBytes: random.below(2000) }),
  (random) => ({ kind: 'answer', status: random.of([500, 502, 503, 504]), body: 'gateway' }),
  () => refusal(401),
  () => refusal(403),
  () => ({ kind: 'answer', status: 200, headers: { 'Content-Type': 'text/html' }, body: '<p>Log in</p>' }),
];

let world: FaultWorld;
let random: Random;
let worker: FileWorker;
/** The states in which a file may be: `undefined` is not there, a text is the digest of its bytes. */
const possible = new Map<string, Set<string | undefined>>(NAMES.map((name) => [name, new Set([undefined])]));

/** Uploads that were not given up because the service, as it seemed, forbade it. */
const refused = new Set<string>();

beforeAll(async () => {
  random = new Random(SEED);
  world = await FaultWorld.start({
    mountArgs: ['--retry-timeout', `${RETRY_SECONDS}`, '--metadata-ttl', '1'],
  });
  await mkdir(world.own('work'));
  worker = new FileWorker(world.own('work'));
});
afterAll(async () => {
  await worker?.end();
  await world?.clean();
});

async function carryOut(operation: Operation): Promise<{ readonly ok?: unknown; readonly error?: string }> {
  const hangs = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`hangs: ${operation}, MODEL_SEED=${SEED}`)), HANGS_MS).unref();
  });
  return (await Promise.race([worker.do(operation), hangs])) as { ok?: unknown; error?: string };
}

/** As `file-worker.py` makes it from a seed. */
function digestOf(seed: number, length: number): string {
  const block = Buffer.alloc(Math.min(length, 4096));
  for (let at = 0; at < block.length; at += 1) block[at] = (seed * 37 + at * 7 + (at >> 6)) & 0xff;
  const bytes = Buffer.concat(Array.from({ length: Math.floor(length / 4096) + 1 }, () => block));
  return createHash('md5').update(bytes.subarray(0, length)).digest('hex').slice(0, 12);
}

function maybe(name: string): Set<string | undefined> {
  return possible.get(name) as Set<string | undefined>;
}

/** Done when it succeeded; as before, or done, when it failed. */
function became(name: string, state: string | undefined, succeeded: boolean): void {
  possible.set(name, succeeded ? new Set([state]) : new Set([...maybe(name), state]));
}

async function step(at: number): Promise<void> {
  const name = random.of(NAMES);
  const what = random.of([
    'write',
    'write',
    'write',
    'read',
    'read',
    'unlink',
    'rename',
    'list',
    'stat',
  ] as const);
  if (what === 'write') {
    const [seed, length] = [random.below(200), random.of([10, 5000, 300_000, 9_000_000])];
    const { error } = await carryOut(['put', name, seed, length]);
    expectKnown(error, at);
    became(name, digestOf(seed, length), error === undefined);
  } else if (what === 'read') {
    const { ok, error } = await carryOut(['readAll', name]);
    expectKnown(error, at);
    if (error === undefined) expectPossible(name, (ok as [number, string])[1], at);
  } else if (what === 'unlink') {
    const { error } = await carryOut(['unlink', name]);
    expectKnown(error, at);
    became(name, undefined, error === undefined);
  } else if (what === 'rename') {
    const to = random.of(NAMES.filter((other) => other !== name));
    const { error } = await carryOut(['rename', name, to]);
    expectKnown(error, at);
    const states = [...maybe(name)].filter((state) => state !== undefined);
    possible.set(to, error === undefined ? new Set(states) : new Set([...maybe(to), ...states]));
    possible.set(name, error === undefined ? new Set([undefined]) : new Set([...maybe(name), undefined]));
  } else {
    const { error } = await carryOut(what === 'list' ? ['list', '.'] : ['stat', name]);
    expectKnown(error, at);
  }
}

function expectKnown(error: string | undefined, at: number): void {
  if (error !== undefined) expect(KNOWN_ERRORS, `step ${at}, MODEL_SEED=${SEED}`).toContain(error);
}

function expectPossible(name: string, state: string | undefined, at: number | string): void {
  expect([...maybe(name)], `${name} at step ${at}, MODEL_SEED=${SEED}`).toContain(state);
}

it('end in time and lose nothing', { timeout: OPERATIONS * 10_000 + 300_000 }, async () => {
  const heal = injectAtRandom();
  for (let at = 0; at < OPERATIONS; at += 1) await step(at);
  heal();
  await worker.end();
  await world.remount();
  worker = new FileWorker(world.own('work'));
  for (const name of NAMES) {
    const { ok, error } = await carryOut(['readAll', name]);
    if (error !== undefined) expect(error).toBe('ENOENT');
    expectPossible(name, (ok as [number, string] | undefined)?.[1], 'the end');
  }
  await waitUntil(
    async () =>
      expect(await world.halfDone((id) => refused.has(id)), `MODEL_SEED=${SEED}`).toEqual([]) ?? true,
    {
      what: 'nothing half done is left',
    },
  );
});

function note({ method, path }: SeenRequest, fault: Fault): true {
  if (fault.kind === 'answer' && fault.status === 403 && method === 'DELETE')
    refused.add(path.split('/').at(-1) ?? '');
  return true;
}

/** One rule for each fault in turn, so that which one it is does not depend on which requests there are. */
function injectAtRandom(): () => void {
  const faults = Array.from({ length: FAULTS_OF_A_KIND }, () => FAULTS.map((faultOf) => faultOf(random)));
  const heals = faults.flat().map((fault, _, all) => {
    const when = (request: SeenRequest) => random.next() < FAULTY_SHARE / all.length && note(request, fault);
    return world.proxy.inject(fault, { when });
  });
  return () => {
    for (const heal of heals) heal();
  };
}
