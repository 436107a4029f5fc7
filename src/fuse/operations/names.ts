import type {
  AbsentEntry,
  Awaitable,
  Entry,
  FileSystem,
  NodeId,
  RenameFlags,
} from '../../vfs/file-system.ts';
import type { BodyReader } from '../protocol/body-reader.ts';
import type { NameChange, Request } from '../request.ts';
import { type Operation, operation } from './operation.ts';

const RENAME_FLAG = { NOREPLACE: 1, EXCHANGE: 2, WHITEOUT: 4 } as const;

/** An answer that carries an entry counts one lookup, unless the kernel never got it. */
const entryAnswer: Omit<Operation<Entry | AbsentEntry>, 'call'> = {
  encode: (reply, found) =>
    found.node === undefined ? reply.absentEntry(found.entryTtlMs) : reply.entry(found),
  undo: (fs, found) => {
    if (found.node !== undefined) fs.forget(found.node, 1);
  },
  locks: 'names',
};

export const lookup = operation<Entry | AbsentEntry>({
  ...entryAnswer,
  call: (fs, body, request) => fs.lookup(request.node, body.text(), request),
});

export const mkdir = operation<Entry>({
  ...entryAnswer,
  call(fs, body, request) {
    const mode = body.u32();
    body.skip(4); // umask: the kernel applied it
    return fs.mkdir(request.node, request.changing(request.node, body.text()), mode, request);
  },
});

export const mknod = operation<Entry>({
  ...entryAnswer,
  call(fs, body, request) {
    const mode = body.u32();
    body.skip(12); // rdev, umask, padding
    return fs.mknod(request.node, request.changing(request.node, body.text()), mode, request);
  },
});

export const symlink = operation<Entry>({
  ...entryAnswer,
  call(fs, body, request) {
    const name = request.changing(request.node, body.text());
    return fs.symlink(request.node, name, body.text(), request);
  },
});

export const link = operation<Entry>({
  ...entryAnswer,
  call(fs, body, request) {
    const node = body.id() as NodeId;
    return fs.link(node, request.node, request.changing(request.node, body.text()), request);
  },
});

export const unlink = operation<void>({
  call: (fs, body, request) => fs.unlink(request.node, request.changing(request.node, body.text()), request),
  locks: 'names',
});

export const rmdir = operation<void>({
  call(fs, body, request) {
    const name = request.changing(request.node, body.text());
    request.otherNodes = knownDirectories(fs, { parent: request.node, name });
    return fs.rmdir(request.node, name, request);
  },
  locks: 'names',
});

export const rename = operation<void>({
  call: (fs, body, request) => callRename(fs, body, request, { newParent: body.id() as NodeId, bits: 0 }),
  locks: 'names',
});

export const rename2 = operation<void>({
  call(fs, body, request) {
    const newParent = body.id() as NodeId;
    const bits = body.u32();
    body.skip(4); // padding
    return callRename(fs, body, request, { newParent, bits });
  },
  locks: 'names',
});

/** The names come last in both forms of the request. */
function callRename(
  fs: FileSystem,
  body: BodyReader,
  request: Request,
  { newParent, bits }: { newParent: NodeId; bits: number },
): Awaitable<void> {
  const flags: RenameFlags = {
    noReplace: (bits & RENAME_FLAG.NOREPLACE) !== 0,
    exchange: (bits & RENAME_FLAG.EXCHANGE) !== 0,
    whiteout: (bits & RENAME_FLAG.WHITEOUT) !== 0,
  };
  const from = { parent: request.node, name: request.changing(request.node, body.text()) };
  const to = { parent: newParent, name: request.changing(newParent, body.text()) };
  request.otherNodes = [newParent, ...knownDirectories(fs, from, to)];
  return fs.rename(from, to, flags, request);
}

/** The kernel locks an entry that is moved, replaced or removed, and the directories that it is in. */
function knownDirectories(fs: FileSystem, ...places: readonly NameChange[]): readonly NodeId[] {
  return places.flatMap(({ parent, name }) => fs.knownDirectory(parent, name) ?? []);
}

export const readlink = operation<string>({
  call: (fs, _body, request) => fs.readlink(request.node, request),
  encode: (reply, target) => reply.append({ chunks: [Buffer.from(target)] }),
});
