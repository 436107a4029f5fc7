/**
 * Open files: handles, reading, writing, and when what was written goes to the platform.
 *
 * A file is read by the version that is published, until someone writes: then all handles of the inode see its draft
 * (`FileContent`). Writing changes the draft only; FLUSH, RELEASE and SETATTR decide when it is published,
 * and `Publisher` how.
 *
 * The kernel may keep its pages over opens: a node has one content, ours or one that the platform has told of, and
 * another content is another node (`node.ts`). Of an alias the platform tells nothing: its store is asked at each open.
 *
 * In the order of a program: `opening.ts`, `reading.ts`, `writing.ts`, `closing.ts`, over the handles of `open-handles.ts` and
 * the drafts of `contents.ts`.
 */
import type { ProcessTable } from '../../lib/process-table.ts';
import type { ClosedFiles } from '../closed/closed-files.ts';
import type { OpenFiles } from '../model/operations.ts';
import type { Tree } from '../model/tree.ts';
import { Closing } from './closing.ts';
import type { Contents } from './contents.ts';
import { Copiers } from './copiers.ts';
import { OpenHandles } from './open-handles.ts';
import { Opening } from './opening.ts';
import { Reading } from './reading.ts';
import { Writing } from './writing.ts';

export interface OpenFilesParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly closedFiles: ClosedFiles;
  readonly processes: ProcessTable;
}

export function createOpenFiles({ tree, contents, closedFiles, processes }: OpenFilesParts): OpenFiles {
  const handles = new OpenHandles(processes);
  const reading = new Reading(tree, handles);
  const copiers = new Copiers();
  const writing = new Writing({ tree, contents, closedFiles, handles, copiers });
  const closing = new Closing({ tree, contents, closedFiles, handles });
  const opening = new Opening({ tree, contents, handles, reading, closing, copiers });
  return {
    nodeOf: (handle) => handles.nodeOf(handle),
    open: (node, flags, context) => opening.open(node, flags, context),
    create: (place, how, context) => opening.create(place, how, context),
    read: (span, sizeBytes, context) => reading.read(span, sizeBytes, context),
    lseek: (span, whence) => reading.lseek(span, whence),
    write: (span, data, context) => writing.write(span, data, context),
    fallocate: (span, how, context) => writing.fallocate(span, how, context),
    copyFileRange: (from, to, how) => writing.copyFileRange(from, to, how),
    truncate: (node, sizeBytes, how) => writing.truncate(node, sizeBytes, how),
    flush: (handle, context) => closing.flush(handle, context),
    fsync: (handle, _dataOnly, context) => closing.fsync(handle, context),
    release: (handle) => closing.release(handle),
    close: () => closedFiles.close(),
  };
}
