/**
 * The meaning of FLUSH. The kernel sends one for every close(2) of a descriptor, however many share the open file. A
 * shell flushes `cmd > f` before the first byte, and every child of `{ a; b; } > f` flushes when it ends. Publishing at
 * each would put half-written files on the platform. Never publishing would hide the upload's error from close(2). A file
 * that no FLUSH publishes is published by RELEASE.
 */
import type { Unpublished } from '../model/file-content.ts';

export interface FlushFacts {
  readonly unpublished: Unpublished;
  /** The descriptor is closed by the process that opened the file; true also when that cannot be told. */
  readonly byOpener: boolean;
  /** That process is being killed or ends without having closed: nobody looks at the answer, and it must not hang. */
  readonly exiting: boolean;
  /** The closer need not wait for the upload. */
  readonly writeBack: boolean;
}

export type FlushAction =
  | 'nothing'
  /** Make what there is durable here. */
  | 'keep'
  /** The same, and from here on it is owed to the platform, by the next mount if this one is killed. */
  | 'commit'
  /** Commit it, and publish it when the closer has gone on. */
  | 'follow'
  /** Publish, and tell the closer how that went. */
  | 'publish';

export function flushAction(facts: FlushFacts): FlushAction {
  if (facts.unpublished === 'none') return 'nothing';
  if (!facts.byOpener || facts.exiting) return 'keep';
  if (facts.unpublished === 'begun') return 'commit';
  return facts.writeBack ? 'follow' : 'publish';
}
