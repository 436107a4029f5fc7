/**
 * From a name to its node: by what is known, else by asking for as little as answers this lookup and the likely next
 * ones (`lookup-plan.ts`).
 */

import type { Api } from '../../api/api.ts';
import type { Clock } from '../../lib/clock.ts';
import { SharedFlights } from '../../lib/shared-flights.ts';
import type { RemoteDirectory } from '../directories/remote-directory.ts';
import { endsWithTime } from '../errors/errno-of.ts';
import type { Awaitable } from '../file-system.ts';
import type { Beliefs } from '../model/beliefs.ts';
import { meaningOf } from '../model/escape.ts';
import type { DirectoryNode, Node, VirtualDirectoryNode } from '../model/node.ts';
import type { KnownChild } from './freshness.ts';
import { knownBefore, knownChild } from './freshness.ts';
import type { GoneDirectories } from './gone-directories.ts';
import type { Listings } from './listings.ts';
import { lookupPlan } from './lookup-plan.ts';
import type { Placement } from './placement.ts';
import { FRESH_MS } from './revalidation-plan.ts';

interface Parts {
  readonly api: Pick<Api, 'hasRoom'>;
  readonly directories: RemoteDirectory<DirectoryNode>;
  readonly listings: Listings;
  readonly placement: Placement;
  readonly gone: GoneDirectories;
  readonly beliefs: Beliefs;
  readonly clock: Clock;
  readonly ttlMs: number;
}

interface History {
  lastFoundMs: number | undefined;
  lastPeekMs: number | undefined;
  /** Names asked for on their own since the last peek. */
  asked: number;
}

export class Lookups {
  readonly #parts: Parts;
  readonly #finding = new SharedFlights<string, void>({ endsWithTime });
  readonly #histories = new WeakMap<DirectoryNode, History>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  childOf(directory: DirectoryNode, name: string, signal: AbortSignal): Awaitable<Node | undefined> {
    const known = this.known(directory, name);
    return known ? known.node : this.#ask(directory, name, signal);
  }

  /** As `childOf`, for a program that only looks. */
  childToShow(directory: DirectoryNode, name: string, signal: AbortSignal): Awaitable<Node | undefined> {
    const known = this.known(directory, name);
    if (known) return known.node;
    const before = knownBefore(directory, name);
    return before && this.#parts.beliefs.believes() ? before.node : this.#ask(directory, name, signal);
  }

  known(directory: DirectoryNode, name: string): KnownChild | undefined {
    const { clock, ttlMs } = this.#parts;
    return knownChild(directory, name, { nowMs: clock.elapsed(), ttlMs });
  }

  async #ask(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Node | undefined> {
    if (directory.kind === 'virtual-directory') {
      const expected = await this.#expected(directory, name, signal);
      if (expected) return expected;
    }
    const flight = `${directory.id}/${name}`;
    const listing = this.#finding.isUnderWay(flight) ? undefined : this.#list(directory, name, signal);
    if (listing !== undefined) {
      await listing;
      const known = this.known(directory, name);
      if (known) return known.node;
    }
    return this.#findNow(directory, name, signal);
  }

  /** By what was asked for ahead. */
  async #expected(
    directory: VirtualDirectoryNode,
    name: string,
    signal: AbortSignal,
  ): Promise<Node | undefined> {
    const { generation } = directory.children;
    const expected = await directory.source.expected?.(signal);
    const entry = expected?.entries.find((each) => each.name === name);
    const node = entry && this.#parts.placement.learn(directory, { kind: 'virtual', ...entry }, generation);
    if (node && expected?.learntMs !== undefined) node.checkedMs = expected.learntMs;
    return node;
  }

  /** As `childOf`, by an absence of the last second only. */
  async freshChildOf(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Node | undefined> {
    if (directory.kind === 'virtual-directory') return this.childOf(directory, name, signal);
    const { clock, ttlMs } = this.#parts;
    const known = knownChild(directory, name, { nowMs: clock.elapsed(), ttlMs: Math.min(ttlMs, FRESH_MS) });
    return known ? known.node : this.#findNow(directory, name, signal);
  }

  async #findNow(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Node | undefined> {
    await this.#finding.join(`${directory.id}/${name}`, signal, (shared) =>
      this.#find(directory, name, shared),
    );
    return this.#present(directory, name);
  }

  /** Has the directory listed, or a part of it; undefined when it is better to ask for the name alone. */
  #list(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<unknown> | undefined {
    const { listings } = this.#parts;
    const only = directory.kind === 'virtual-directory' || meaningOf(name).kind === 'digest';
    if (only) return listings.all(directory, signal);
    const plan = listings.isUnderWay(directory) ? 'peek' : this.#plan(directory);
    if (plan === 'list') void listings.ahead(directory, 'prefetch');
    return plan === 'peek' ? listings.peek(directory, signal) : undefined;
  }

  #plan(directory: DirectoryNode): ReturnType<typeof lookupPlan> {
    const { api, clock, ttlMs, listings } = this.#parts;
    const nowMs = clock.elapsed();
    const history = this.#histories.get(directory) ?? {
      lastFoundMs: undefined,
      lastPeekMs: undefined,
      asked: 0,
    };
    const requestsPerName = directory.kind === 'volume-directory' ? 2 : 1;
    const total = listings.totalOf(directory);
    const hasRoom = api.hasRoom('prefetch');
    const plan = lookupPlan({ ...history, nowMs, ttlMs, total, hasRoom, requestsPerName });
    if (plan === 'find') history.lastFoundMs = nowMs;
    else history.lastPeekMs = nowMs;
    history.asked = plan === 'find' ? history.asked + 1 : 0;
    this.#histories.set(directory, history);
    return plan;
  }

  async #find(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<void> {
    const { directories, placement, gone } = this.#parts;
    const { generation } = directory.children;
    const failure = gone.asking(directory);
    const listed = await directories.find(directory, name, signal).catch(async (error: unknown) => {
      throw await failure(error);
    });
    if (listed) placement.learn(directory, listed, generation);
    else placement.learnAbsent(directory, name, generation);
  }

  #present(directory: DirectoryNode, name: string): Node | undefined {
    const known = directory.children.get(name);
    return known?.kind === 'present' ? known.node : undefined;
  }
}
