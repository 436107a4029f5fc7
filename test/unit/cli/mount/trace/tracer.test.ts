import { beforeEach, expect, it } from 'vitest';
import type { TraceEvent } from '../../../../../src/cli/mount/trace/trace-event.ts';
import { type TraceFilter, Tracer } from '../../../../../src/cli/mount/trace/tracer.ts';
import type { ReplyRecord } from '../../../../../src/fuse/observer.ts';
import { errnoNumber } from '../../../../../src/lib/errno.ts';
import type { RequestContext } from '../../../../../src/vfs/file-system.ts';
import type { OperationWatch, WatchedOperation } from '../../../../../src/vfs/watch-operations.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

let watch: OperationWatch;
let tracer: Tracer;
let asked: number;
beforeEach(() => {
  watch = { watcher: undefined };
  asked = 0;
  tracer = new Tracer({
    watch,
    clock: new FakeClock(),
    pathOfNode: (node) => {
      asked += 1;
      return `/node/${node}`;
    },
    shownPath: (path) => path.replace(/^\/tree/, ''),
  });
});

/** An operation of this process, from its beginning to its answer. */
function operate(given: Partial<ReplyRecord> = {}, noted: Partial<WatchedOperation> = {}): void {
  const context: RequestContext = { uid: 0, gid: 0, pid: process.pid, signal: AbortSignal.abort() };
  const begun = { operation: 'read', detail: '4@0', cost: { requests: 1 }, result: 4, ...noted } as const;
  watch.watcher?.({ paths: () => ['/tree/a/b'], ...begun }, context);
  const record = { operation: 'READ', errno: 0, durationMs: 2, nodeId: 7, pid: process.pid, context };
  tracer.onReply({ ...record, ...given });
}

function tracing(filter: TraceFilter = {}): { readonly events: TraceEvent[]; readonly stop: () => void } {
  const events: TraceEvent[] = [];
  return { events, stop: tracer.subscribe(filter, (event) => events.push(event)) };
}

it('tells what a program asked for, what it got, and what that cost', () => {
  const { events } = tracing();
  operate();
  expect(events).toEqual([
    {
      atMs: Date.UTC(2024, 0, 1) - 2,
      process: process.pid,
      program: expect.any(String),
      operation: 'read',
      path: '/a/b',
      target: null,
      detail: '4@0',
      result: 4,
      errno: null,
      reason: null,
      ms: 2,
      requests: 1,
    },
  ]);
});

it('tells errors with their reasons, and the absence of a name, which is no error of an answer', () => {
  const { events } = tracing();
  operate({ errno: errnoNumber('EPERM'), error: new Error('no way') }, { result: undefined });
  operate({}, { operation: 'lookup', result: 'ENOENT' });
  expect(events).toMatchObject([
    { errno: 'EPERM', reason: 'no way', result: null },
    { errno: 'ENOENT', reason: null, result: null },
  ]);
});

it('notes nothing while nobody watches, and puts together no path that nobody is told', () => {
  operate();
  expect(watch.watcher).toBeUndefined();
  const paths = () => {
    throw new Error('asked for');
  };
  const { events, stop } = tracing({ slowMs: 100 });
  operate({ durationMs: 99 }, { paths });
  expect(events).toEqual([]);
  operate({ durationMs: 100 });
  expect(events).toHaveLength(1);
  stop();
  expect(watch.watcher).toBeUndefined();
  operate();
  expect([events.length, asked]).toEqual([1, 0]);
});

it.each<[TraceFilter, number]>([
  [{ path: '/' }, 3],
  [{ path: '/a' }, 2],
  [{ path: '/a/b' }, 2],
  [{ path: '/a/bc' }, 0],
  [{ path: '/node/7' }, 1],
  [{ process: process.pid }, 2],
  [{ process: 1 }, 0],
])('tells a watcher of %j only what it asked for', (filter, count) => {
  const { events } = tracing(filter);
  operate();
  operate({}, { operation: 'rename', paths: () => ['/tree/x', '/tree/a/b'] });
  // The kernel for itself; the handle is gone, and its node is not.
  tracer.onReply({
    operation: 'RELEASE',
    errno: 0,
    durationMs: 1,
    nodeId: 7,
    pid: 0,
    context: { uid: 0, gid: 0, pid: 0, signal: AbortSignal.abort() },
  });
  expect(events).toHaveLength(count);
});
