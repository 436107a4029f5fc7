/**
 * Close-to-open consistency: a file is opened as the platform has it now, by facts at most a second old.
 *
 * Many files are opened one after the other more often than not. From the third on, one bulk get asks about the next hundred
 * of the folder together, so that a run of opens costs one request per folder, per hundred files or per second. Where
 * the service tells of a file together with the link to its bytes, opening it to be read costs that one request.
 */
import type { Api } from '../../api/api.ts';
import type { CallOptions, Priority } from '../../api/call-options.ts';
import type { EntryRecord, FileRecord } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import { sharedAbortController } from '../../lib/shared-signals.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { listedEntry, type Showing } from '../directories/project-folder.ts';
import { listedObject } from '../directories/volume-directory.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError, PinnedChange } from '../errors/fs-error.ts';
import type { Awaitable } from '../file-system.ts';
import type { Beliefs } from '../model/beliefs.ts';
import { isLocalOnly, lacksSize } from '../model/identity.ts';
import { learnPinned, learnPinnedObject } from '../model/learn-pinned.ts';
import type { DirectoryNode, Node, ProjectFileNode, VolumeObjectNode } from '../model/node.ts';
import { folderIdOf, isPinned } from '../model/node.ts';
import type { Pin } from '../model/pin.ts';
import type { Revalidating } from '../model/tree.ts';
import { wasChecked } from './freshness.ts';
import type { Placement } from './placement.ts';
import type { OpenRun } from './revalidation-plan.ts';
import { continuedRun, FRESH_FOR_COPIES_MS, FRESH_MS, filesToAsk } from './revalidation-plan.ts';

interface Parts {
  readonly api: Api;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly showing: Showing;
  readonly beliefs: Beliefs;
}

const NONE: ReadonlySet<Node> = new Set();

interface Question {
  /** The record that comes with a link for which a reader has asked. */
  readonly told?: Promise<FileRecord> | undefined;
  readonly priority?: Priority | undefined;
  /** In no bulk call. */
  readonly alone?: boolean;
}

interface Asking {
  /** Resolves to those that a bulk call failed to tell of. */
  readonly done: Promise<ReadonlySet<Node>>;
  /** Aborted when a person waits for it too. */
  readonly urgent: AbortController;
  /** Aborted when nobody waits for it any more. */
  readonly stop: AbortController;
  waiting: number;
}

export class Revalidation {
  readonly #parts: Parts;
  #run: OpenRun | undefined;
  /** The question under way about each node, shared by all that open it. */
  readonly #asking = new Map<Node, Asking>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `Tree.revalidate`. */
  revalidate(
    node: Node,
    signal: AbortSignal,
    { prepare, priority, onlyLooks = false, toCopy = false }: Revalidating = {},
  ): Awaitable<void> {
    if (node.kind === 'project-file') this.#run = continuedRun(this.#run, this.#parts.clock.monotonic());
    const freshMs = toCopy ? FRESH_FOR_COPIES_MS : FRESH_MS;
    if (!this.#needsAsking(node, freshMs) || (onlyLooks && this.#isBelieved(node)))
      return requireAsPinned(node);
    return this.#ask(node, signal, { told: prepare?.(), priority });
  }

  /** As `revalidate` for a caller that only looks: however fresh, and not counted as an open. */
  async refresh(node: Node, signal: AbortSignal): Promise<void> {
    if (isRemoteFile(node)) await this.#ask(node, signal, {});
  }

  async #ask(node: Node, signal: AbortSignal, question: Question): Promise<void> {
    const { priority = 'interactive' } = question;
    const asking = this.#asking.get(node) ?? this.#begin(node, { ...question, priority });
    if (priority === 'interactive') asking.urgent.abort();
    const untold = await waitFor(asking, signal);
    if (untold.has(node)) return this.#ask(node, signal, { priority, alone: true });
    if (!node.parent) throw new FsError('ESTALE', `${node.name} is another file now`);
    requireAsPinned(node);
  }

  /** Asks about a node; others that are asked about with it are then under way too. */
  #begin(node: Node, { told, priority, alone = false }: Question & { readonly priority: Priority }): Asking {
    const [urgent, stop] = [sharedAbortController(), sharedAbortController()];
    const options = { priority, urgent: urgent.signal, signal: stop.signal };
    const tracked = (nodes: readonly Node[], done: Promise<ReadonlySet<Node>>): Asking =>
      this.#track(nodes, { done, urgent, stop, waiting: 0 });
    const { parent } = node;
    if (node.kind === 'volume-object') return tracked([node], this.#askObject(node, options));
    if (!isFileOnPlatform(node) || parent === undefined)
      return { done: Promise.resolve(NONE), urgent, stop, waiting: 0 };
    const count = told !== undefined || alone || !this.#run ? 1 : filesToAsk(this.#run);
    if (count === 1) return tracked([node], this.#askFile(parent, node, { told, ...options }));
    const nodes = this.#withNext(parent, node, count);
    return tracked(nodes, this.#askFiles(parent, nodes, options));
  }

  #track(nodes: readonly Node[], asking: Asking): Asking {
    for (const node of nodes) this.#asking.set(node, asking);
    const done = (): void => {
      for (const node of nodes) this.#asking.delete(node);
    };
    asking.done.then(done, done);
    return asking;
  }

  async #askFile(
    folder: DirectoryNode,
    node: FileOnPlatform,
    { told, ...options }: CallOptions & Pick<Question, 'told'>,
  ): Promise<ReadonlySet<Node>> {
    const { generation } = folder.children;
    const ask = (): Promise<EntryRecord> => this.#parts.api.files.get(node.record.id, options);
    try {
      // The link may be refused to a user who may see the file.
      this.#told(folder, node, { record: await (told?.catch(ask) ?? ask()), generation });
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      this.#told(folder, node, { record: undefined, generation });
    }
    return NONE;
  }

  async #askFiles(
    folder: DirectoryNode,
    nodes: readonly FileOnPlatform[],
    options: CallOptions,
  ): Promise<ReadonlySet<Node>> {
    const { generation } = folder.children;
    const untold = new Set<Node>();
    const ids = nodes.map((node) => node.record.id);
    const results = await this.#parts.api.files.bulkGet(ids, options);
    for (const [index, node] of nodes.entries()) {
      const result = results[index];
      if (result?.ok) this.#told(folder, node, { record: result.value, generation });
      else if (result?.failure.status === 404) this.#told(folder, node, { record: undefined, generation });
      else untold.add(node);
    }
    return untold;
  }

  async #askObject(node: VolumeObjectNode, options: CallOptions): Promise<ReadonlySet<Node>> {
    const { api, placement } = this.#parts;
    const { parent, volume, location } = node;
    if (isPinned(node)) {
      learnPinnedObject(node, await api.volumes.object(volume.id, location, options));
      node.checkedMs = this.#parts.clock.elapsed();
      return NONE;
    }
    if (parent?.kind !== 'volume-directory') return NONE;
    const { generation } = parent.children;
    const record = await api.volumes.object(volume.id, location, options);
    if (record) placement.learn(parent, listedObject(record, parent.prefix), generation);
    else placement.learnAbsent(parent, node.name, generation);
    return NONE;
  }

  #told(
    folder: DirectoryNode,
    node: ProjectFileNode,
    answer: { readonly record: EntryRecord | undefined; readonly generation: number },
  ): void {
    const { placement, showing } = this.#parts;
    const { record, generation } = answer;
    if (isPinned(node)) {
      learnPinned(node, record);
      node.checkedMs = this.#parts.clock.elapsed();
      return;
    }
    if (folder.kind !== 'project-folder') return;
    // A program that writes it meanwhile finds at publication that it replaces another client's file.
    if (node.parent !== folder || node.draft || folder.children.changedSince(node.name, generation)) return;
    const listed = record && listedEntry(record, showing);
    const inPlace =
      listed?.name === node.name && (record?.parent ?? folderIdOf(folder)) === folderIdOf(folder);
    if (listed && inPlace) placement.learn(folder, listed, generation);
    else placement.lose(node);
  }

  /** The node and the files that come after it in the folder and would have to be asked about too. */
  #withNext(folder: DirectoryNode, node: FileOnPlatform, count: number): readonly FileOnPlatform[] {
    const nodes = [node];
    let reached = false;
    for (const next of folder.children.nodes()) {
      if (nodes.length === count) break;
      if (reached && isFileOnPlatform(next) && !this.#asking.has(next) && this.#needsAsking(next))
        nodes.push(next);
      reached ||= next === node;
    }
    return nodes;
  }

  #isBelieved(node: Node): boolean {
    // A pinned file is opened as it was pinned, or not at all.
    if (pinOf(node)) return false;
    return wasChecked(node) && !lacksSize(node) && this.#parts.beliefs.believes();
  }

  #needsAsking(node: Node, freshMs = FRESH_MS): boolean {
    return isRemoteFile(node) && (lacksSize(node) || this.#parts.clock.elapsed() - node.checkedMs > freshMs);
  }
}

/** The last one to leave ends the question: it may wait for the rate limit. */
async function waitFor(asking: Asking, signal: AbortSignal): Promise<ReadonlySet<Node>> {
  asking.waiting += 1;
  try {
    return await untilAborted(asking.done, signal);
  } finally {
    asking.waiting -= 1;
    if (asking.waiting === 0) asking.stop.abort();
  }
}

/** A file that another client may have changed meanwhile. */
function isRemoteFile(node: Node): boolean {
  const isFile = node.kind === 'project-file' || node.kind === 'volume-object';
  return isFile && node.parent !== undefined && !isLocalOnly(node);
}

function pinOf(node: Node): Pin | undefined {
  return node.kind === 'project-file' || node.kind === 'volume-object' ? node.pin : undefined;
}

/** ESTALE. */
function requireAsPinned(node: Node): void {
  const change = pinOf(node)?.change;
  if (change !== undefined) throw new PinnedChange(change);
}

type FileOnPlatform = ProjectFileNode & { readonly record: FileRecord };

function isFileOnPlatform(node: Node): node is FileOnPlatform {
  return node.kind === 'project-file' && node.record !== undefined;
}
