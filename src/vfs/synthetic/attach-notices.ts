/**
 * The file system with notices: a directory of the tree that has no entries shows a file in their place, which tells the
 * user what to do (`VirtualSource.whenEmpty`). The tree is asked first, as it would be without; the file is there only
 * while the tree has nothing.
 */
import { FsError } from '../errors/fs-error.ts';
import type {
  AbsentEntry,
  Awaitable,
  DirSink,
  Entry,
  FileHandle,
  FileSystem,
  NodeId,
  OpenDirectoryReply,
  RequestContext,
} from '../file-system.ts';
import { inodeNumber } from '../model/inode-number.ts';
import { type Notice, pathOf, type VirtualDirectoryNode } from '../model/node.ts';
import type { NodeTable } from '../model/node-table.ts';
import { isTreeNumber } from '../model/number-ranges.ts';
import { fileTypeOfSynthetic } from './attributes.ts';
import { fixedEntries } from './entries.ts';
import type { SyntheticTrees } from './synthetic-trees.ts';

interface Noticed {
  readonly directory: VirtualDirectoryNode;
  readonly notice: Notice;
}

interface OpenDirectory extends Noticed {
  /** The tree has given an entry since the directory was last read from its start. */
  hasEntries: boolean;
}

/** After a notice; offsets of the tree's entries never come to it. */
const END_OFFSET = 2 ** 40;

export function attachNotices(
  fileSystem: FileSystem,
  trees: SyntheticTrees,
  nodes: Pick<NodeTable, 'get'>,
): FileSystem {
  const open = new Map<FileHandle, OpenDirectory>();
  const withNotice = (id: NodeId): Noticed | undefined => {
    const node = isTreeNumber(id) ? nodes.get(id) : undefined;
    const notice = node?.kind === 'virtual-directory' ? node.source.whenEmpty : undefined;
    return notice && { directory: node as VirtualDirectoryNode, notice };
  };
  return {
    ...fileSystem,
    lookup: (parent, name, context) => {
      const noticed = withNotice(parent);
      const found = fileSystem.lookup(parent, name, context);
      return noticed?.notice.name === name ? lookupNotice(noticed, { found, trees, context }) : found;
    },
    unlink: (parent, name, context) => {
      if (withNotice(parent)?.notice.name === name)
        throw new FsError('EPERM', `${name} is shown as long as there is nothing else`);
      return fileSystem.unlink(parent, name, context);
    },
    opendir: (id, context) => {
      const noticed = withNotice(id);
      const opened = fileSystem.opendir(id, context);
      return noticed ? remembered(noticed, opened, open) : opened;
    },
    readdir: (handle, offset, sink, context) => {
      const noticed = open.get(handle);
      if (noticed === undefined) return fileSystem.readdir(handle, offset, sink, context);
      return readWithNotice(noticed, offset, sink, (to) => fileSystem.readdir(handle, offset, to, context));
    },
    releasedir: (handle) => {
      open.delete(handle);
      return fileSystem.releasedir(handle);
    },
  };
}

async function remembered(
  noticed: Noticed,
  opened: Awaitable<OpenDirectoryReply>,
  open: Map<FileHandle, OpenDirectory>,
): Promise<OpenDirectoryReply> {
  const reply = await opened;
  open.set(reply.handle, { ...noticed, hasEntries: false });
  return reply;
}

/** The tree's own entry of that name, just asked for, goes before. */
async function lookupNotice(
  { directory, notice }: Noticed,
  asked: {
    readonly found: Awaitable<Entry | AbsentEntry>;
    readonly trees: SyntheticTrees;
    readonly context: RequestContext;
  },
): Promise<Entry | AbsentEntry> {
  const found = await asked.found;
  if (found.node !== undefined) return found;
  const { trees, context } = asked;
  const { source, id, ino } = directory;
  const { entries } = await source.entries(context.signal);
  if (entries.length > 0) return found;
  // Its name counts for no time: it goes with the first entry.
  const entry = fixedEntries({ [notice.name]: notice.file }, { entriesTtlMs: 0 });
  trees.graft(id, entry, { ino, path: pathOf(directory) });
  return trees.lookup(id, notice.name, context);
}

async function readWithNotice(
  open: OpenDirectory,
  offset: number,
  sink: DirSink,
  readTree: (sink: DirSink) => Awaitable<void>,
): Promise<void> {
  if (offset === END_OFFSET) return;
  if (offset === 0) open.hasEntries = false;
  let isFull = false;
  const placed = (name: string, isPlaced: boolean): boolean => {
    isFull ||= !isPlaced;
    open.hasEntries ||= name !== '.' && name !== '..';
    return isPlaced;
  };
  const { addWithAttributes } = sink;
  await readTree({
    add: (entry) => placed(entry.name, sink.add(entry)),
    ...(addWithAttributes && {
      addWithAttributes: (entry, found) => placed(entry.name, addWithAttributes.call(sink, entry, found)),
    }),
  });
  if (isFull || open.hasEntries) return;
  const { name } = open.notice;
  const ino = inodeNumber(`${open.directory.ino}/${name}`);
  sink.add({ name, ino, type: fileTypeOfSynthetic('file'), nextOffset: END_OFFSET });
}
