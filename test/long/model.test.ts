/**
 * Two mounts of one project and a client of its API take turns, and a disk has the same done to it: each step must answer the
 * same there. Handles stay open over the steps of a turn. A turn begins when the one before is on the platform and older than the
 * TTL. Every few turns all four must have the same files.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApi } from '../../src/api/create-api.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { FileWorker } from '../model/file-worker.ts';
import { anyOperationOnLinks, type Operation } from '../model/operations.ts';
import { PlatformFiles } from '../model/platform-files.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { waitUntil } from '../support/wait-until.ts';
import { amount, Random, SEED } from './seeded.ts';

/** In each mode. */
const STEPS = amount('LONG_STEPS', 100_000) / 2;
const STEPS_OF_A_TURN = 60;
const STEPS_OF_THE_API = 5;
const TURNS_OF_A_FOLDER = 10;
const TTL_SECONDS = 1;
const PROJECT = 'ann/study';
const NAMES = ['a', 'b', 'c'];

let world: FaultWorld;
let api: ApiClient;
let platform: PlatformFiles;
let secondMount: string;

beforeAll(async () => {
  world = await FaultWorld.start();
  await world.unmount();
  secondMount = world.outside('second');
  await mkdir(secondMount);
  world.sandbox.alsoMounts(secondMount);
  const endpoint = `${world.origin}/v2`;
  api = createApi({ endpoint, token: world.token, clock: systemClock });
  platform = new PlatformFiles({ endpoint, token: world.token });
});
afterAll(async () => {
  await api?.close();
  await world?.clean();
});

function svcfs(...args: readonly string[]) {
  const env = { SVC_API_ENDPOINT: `${world.origin}/v2`, SVC_AUTH_TOKEN: world.token };
  return world.sandbox.svcfs(args, { env: { ...env, XDG_STATE_HOME: world.outside('state') } });
}

async function mustSvcfs(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await svcfs(...args);
  if (code !== 0) throw new Error(`svcfs ${args.join(' ')}: exit ${code}: ${stderr}`);
}

/** One folder, as the four sides have it. */
class Folder {
  readonly #name: string;
  readonly #random: Random;
  readonly #where: () => string;
  #workers: readonly FileWorker[] = [];
  #id = '';
  /** Each turn until now, for who looks into a failure. */
  readonly #turns: string[][] = [];

  constructor(name: string, random: Random, where: () => string) {
    this.#name = name;
    this.#random = random;
    this.#where = where;
  }

  async begin(): Promise<void> {
    await mkdir(this.#local);
    await mkdir(world.own(this.#name));
    await delay(1100 * TTL_SECONDS);
    const second = `${secondMount}/projects/${PROJECT}/${this.#name}`;
    this.#workers = [this.#local, world.own(this.#name), second].map((path) => new FileWorker(path));
    this.#id = (await platform.ofProject(PROJECT)).find(({ name }) => name === this.#name)?.id ?? '';
  }

  get #local(): string {
    return world.outside(this.#name);
  }

  /** All that was done in the folder, a turn a line. */
  get history(): string {
    return this.#turns.map((turn) => turn.join(' ')).join('\n');
  }

  #beginTurn(who: string): (done: readonly unknown[]) => void {
    const turn = [`${who}:`];
    this.#turns.push(turn);
    return (done) => void turn.push(JSON.stringify(done));
  }

  /** By one of the mounts. */
  async turn(which: 1 | 2, operations: readonly Operation[]): Promise<void> {
    const [local, mounted] = [this.#workers[0] as FileWorker, this.#workers[which] as FileWorker];
    const note = this.#beginTurn(`mount ${which}`);
    for (const operation of [...operations, ['closeAll'] as const]) {
      note(operation);
      const wanted = await local.do(operation);
      expect(await mounted.do(operation), `${this.#where()}, mount ${which}: ${operation}`).toEqual(wanted);
    }
  }

  async turnOfTheApi(): Promise<void> {
    const local = this.#workers[0] as FileWorker;
    const note = this.#beginTurn('api');
    for (let step = 0; step < STEPS_OF_THE_API; step += 1) {
      const [name, to] = [this.#random.of(NAMES), this.#random.of(NAMES)];
      const entries = await platform.entries(this.#id);
      const [entry, target] = [name, to].map((sought) => entries.find((each) => each.name === sought));
      // These calls are for files: a folder may have got the name of one.
      if (entry?.type === 'FOLDER' || target?.type === 'FOLDER') continue;
      const what = this.#random.of(['put', 'put', 'delete', 'move'] as const);
      if (what === 'put') {
        const bytes = Buffer.alloc(1 + this.#random.below(5000), 'api ');
        note([what, name, bytes.length]);
        await api.uploads.inline({ parent: this.#id, name, overwrite: true }, bytes);
        // A link that had the name is gone, and not what it led to.
        await local.do(['unlink', name]);
        await local.do(['putText', name, bytes.toString()]);
      } else if (what === 'delete' && entry !== undefined) {
        note([what, name]);
        await api.files.delete(entry.id);
        await local.do(['unlink', name]);
      } else if (what === 'move' && entry !== undefined && name !== to) {
        note([what, name, to]);
        await api.files.move(entry.id, { parent: this.#id, name: to }, { overwrite: true });
        await local.do(['rename', name, to]);
      }
    }
  }

  async check(): Promise<void> {
    const trees = await Promise.all(this.#workers.map((worker) => worker.do(['tree', '.'])));
    const [{ ok: local } = { ok: {} }] = trees as readonly { readonly ok: Record<string, unknown> }[];
    expect(trees[1], `${this.#where()}, mount 1`).toEqual(trees[0]);
    expect(trees[2], `${this.#where()}, mount 2`).toEqual(trees[0]);
    const onPlatform = Object.entries(local ?? {}).map(([path, told]) => [path, asOnPlatform(told)]);
    expect(await platform.tree(this.#id), this.#where()).toEqual(Object.fromEntries(onPlatform));
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.end()));
    await rm(this.#local, { recursive: true, force: true });
  }
}

/** A link is a small file there, whose content is the target. */
function asOnPlatform(told: unknown): unknown {
  if (!Array.isArray(told) || told[0] !== 'link') return told;
  const target = Buffer.from(String(told[1]));
  const digest = createHash('md5').update(target).digest('hex').slice(0, 12);
  return [target.length, digest, target.length];
}

describe.each([
  ['a close that waits for its upload', []],
  ['a close whose upload follows', ['--write-back']],
] as const)('two mounts and a client of the API, with %s', (mode, args) => {
  const ttl = ['--metadata-ttl', `${TTL_SECONDS}`];

  beforeAll(async () => {
    await world.mount([...ttl, ...args]);
    await mustSvcfs('mount', secondMount, ...ttl, ...args);
  });
  afterAll(async () => {
    await mustSvcfs('unmount', secondMount);
    await world.unmount();
  });

  async function settled(): Promise<void> {
    const mounts = args.length > 0 ? [world.sandbox.mountPoint, secondMount] : [];
    await Promise.all(mounts.map((mount) => mustSvcfs('flush', mount)));
    await delay(1100 * TTL_SECONDS);
  }

  it('do what a disk does', { timeout: STEPS * 1000 + 600_000 }, async () => {
    const random = new Random(SEED);
    let steps = 0;
    const where = (): string => `MODEL_SEED=${SEED}, by step ${steps}`;
    for (let number = 0; steps < STEPS; number += 1) {
      const folder = new Folder(`${args.length === 0 ? 'plain' : 'write-back'}-${number}`, random, where);
      try {
        await folder.begin();
        for (let turn = 0; turn < TURNS_OF_A_FOLDER && steps < STEPS; turn += 1) {
          const who = random.of([1, 1, 2, 2, 'api'] as const);
          const seed = random.below(2 ** 31);
          const operations = fc.sample(anyOperationOnLinks, { numRuns: STEPS_OF_A_TURN, seed });
          if (who === 'api') await folder.turnOfTheApi();
          else await folder.turn(who, operations);
          steps += who === 'api' ? STEPS_OF_THE_API : STEPS_OF_A_TURN;
          await settled();
        }
        await folder.check();
      } catch (error) {
        process.stderr.write(`${where()}, in this folder:\n${folder.history}\n`);
        for (const mount of [world.sandbox.mountPoint, secondMount])
          process.stderr.write(await readFile(`${mount}/.svcfs/errors`, 'utf8'));
        throw error;
      } finally {
        await folder.end();
      }
    }
    await waitUntil(async () => (await world.leftovers()).length === 0, {
      what: `${mode}: nothing half done`,
    });
  });
});
