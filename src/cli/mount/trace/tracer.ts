import type { ReplyRecord } from '../../../fuse/observer.ts';
import type { Clock } from '../../../lib/clock.ts';
import { errnoName } from '../../../lib/errno.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { commandOf, jobOf } from '../../../lib/process-table.ts';
import type { RequestContext } from '../../../vfs/file-system.ts';
import type { OperationWatch, WatchedOperation } from '../../../vfs/watch-operations.ts';
import type { TraceEvent } from './trace-event.ts';

/** What a watcher wants to be told of; what is absent does not matter. */
export interface TraceFilter {
  /** In the mount: what is there, and below. */
  readonly path?: string | undefined;
  readonly process?: number | undefined;
  /** It took at least so long. */
  readonly slowMs?: number | undefined;
}

export interface TracerOptions {
  readonly watch: OperationWatch;
  readonly clock: Clock;
  /** `?` for a node that is gone. */
  readonly pathOfNode: (node: number) => string;
  /** In the mount, of one in the tree. */
  readonly shownPath: (path: string) => string;
}

interface Program {
  readonly process: number;
  readonly command: string | undefined;
}

interface Begun {
  readonly noted: WatchedOperation;
  readonly program: Program | undefined;
}

interface Watcher {
  readonly filter: TraceFilter;
  readonly tell: (event: TraceEvent) => void;
}

/**
 * Tells watchers of each operation that the mount has answered. Without a watcher nothing is noted: no path is put together
 * and no process looked up.
 */
export class Tracer {
  readonly #options: TracerOptions;
  readonly #watchers = new Set<Watcher>();
  #begun = new WeakMap<RequestContext, Begun>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** Answers how to end it. */
  subscribe(filter: TraceFilter, tell: (event: TraceEvent) => void): () => void {
    const watcher = { filter, tell };
    this.#watchers.add(watcher);
    this.#options.watch.watcher = this.#begin;
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#options.watch.watcher = undefined;
      this.#begun = new WeakMap();
    };
  }

  /** Runs for each reply: it is over at once when nobody watches. */
  readonly onReply = (record: ReplyRecord): void => {
    if (this.#options.watch.watcher === undefined) return;
    const begun = this.#begun.get(record.context);
    const matching = [...this.#watchers].filter(({ filter }) => mayMatch(filter, record.durationMs));
    if (matching.length === 0) return;
    const event = this.#eventOf(record, begun);
    for (const { filter, tell } of matching) if (matches(filter, event)) tell(event);
  };

  /**
   * The program waits for its operation now; later it may have ended, or have become another. A caller that asks for slow
   * operations alone is told of few, so that it is not worth a look at each.
   */
  readonly #begin = (noted: WatchedOperation, context: RequestContext): void => {
    const isWanted = [...this.#watchers].some(({ filter }) => filter.slowMs === undefined);
    this.#begun.set(context, { noted, program: isWanted ? programOf(context.pid) : undefined });
  };

  #eventOf(record: ReplyRecord, begun: Begun | undefined): TraceEvent {
    const { operation, errno, durationMs, nodeId, pid, error } = record;
    const { process, command } = begun?.program ?? programOf(pid);
    const [path, target] = this.#pathsOf(begun, nodeId);
    const result = begun?.noted.result;
    const failed = errno === 0 ? (result === 'ENOENT' ? result : null) : errnoName(errno);
    return {
      atMs: this.#options.clock.now() - durationMs,
      process,
      program: command ?? null,
      operation: operation.toLowerCase(),
      path,
      target: target ?? null,
      detail: begun?.noted.detail ?? null,
      result: typeof result === 'number' && errno === 0 ? result : null,
      errno: failed,
      reason: error === undefined ? null : messageOf(error),
      ms: Math.round(durationMs * 1000) / 1000,
      requests: begun?.noted.cost.requests ?? 0,
    };
  }

  /** A handle is gone when it has been released, and its node is not. */
  #pathsOf(begun: Begun | undefined, node: number): readonly [path: string, target?: string] {
    const { pathOfNode, shownPath } = this.#options;
    const [path = '?', target] = begun?.noted.paths() ?? [];
    const first = path === '?' ? pathOfNode(node) : shownPath(path);
    return target === undefined ? [first] : [first, shownPath(target)];
  }
}

function mayMatch({ slowMs = 0 }: TraceFilter, ms: number): boolean {
  return ms >= slowMs;
}

function matches({ path, process }: TraceFilter, event: TraceEvent): boolean {
  if (process !== undefined && process !== event.process) return false;
  return path === undefined || isAt(event.path, path) || (event.target !== null && isAt(event.target, path));
}

function isAt(path: string, top: string): boolean {
  return top === '/' || path === top || path.startsWith(`${top}/`);
}

function programOf(thread: number): Program {
  if (thread === 0) return { process: 0, command: undefined };
  const process = jobOf(thread)?.process ?? thread;
  return { process, command: commandOf(process) };
}
