import { expect, it } from 'vitest';
import type { LocalCopy } from '../../../src/content/local-copies.ts';
import type { ContentVersion } from '../../../src/content/ports.ts';
import type {
  BackingFiles,
  FileHandle,
  FileSystem,
  NodeId,
  OpenReply,
  RequestContext,
} from '../../../src/vfs/file-system.ts';
import { passThrough } from '../../../src/vfs/pass-through.ts';
import { Gate } from '../../support/gate.ts';
import { NEVER } from '../../support/reading-world.ts';

const VERSION: ContentVersion = { kind: 'file', fileId: 'f', sizeBytes: 5 };
const CONTEXT = { signal: NEVER, pid: 1, uid: 0, gid: 0 } as RequestContext;

/** A file system of files that open, with local copies of those in `copied`, and a kernel that takes them. */
class World {
  readonly copied = new Set<NodeId>();
  readonly released: number[] = [];
  readonly backings: BackingFiles & { readonly open_: number[]; readonly closed: number[] };
  readonly files: FileSystem;
  readonly log: string[] = [];
  copyGate: Promise<void> = Promise.resolve();
  failsToOpen = false;
  /** Nobody tells how large it is, or what it is. */
  versionIsUnknown = false;
  refusal: Error | undefined;
  #handles = 0;

  constructor() {
    const open_: number[] = [];
    const closed: number[] = [];
    this.backings = {
      open_,
      closed,
      open: (descriptor) => {
        if (this.refusal) throw this.refusal;
        open_.push(descriptor);
        return open_.length;
      },
      close: (id) => void closed.push(id),
    };
    const inner = {
      attach: () => undefined,
      open: () => this.#open(),
      release: () => undefined,
    } as unknown as FileSystem;
    this.files = passThrough(inner, {
      copies: { of: (version) => this.#copyOf(version) },
      versionOf: (node) => {
        if (this.versionIsUnknown) throw new Error('no size is told');
        return { ...VERSION, fileId: String(node) } as ContentVersion;
      },
      log: { info: (_, text) => void this.log.push(text) },
    });
    const nothing = () => undefined;
    const caches = { invalidateEntry: nothing, lookedUp: nothing, invalidateNode: nothing };
    this.files.attach(caches, this.backings);
  }

  async open(node: number): Promise<OpenReply> {
    return this.files.open(node as NodeId, 0, CONTEXT);
  }

  async #open(): Promise<OpenReply> {
    if (this.failsToOpen) throw new Error('cannot be opened');
    this.#handles += 1;
    return { handle: this.#handles as FileHandle, keepCache: true, directIo: false };
  }

  async #copyOf(version: ContentVersion): Promise<LocalCopy | undefined> {
    await this.copyGate;
    const node = Number(version.kind === 'file' ? version.fileId : '0');
    if (!this.copied.has(node as NodeId)) return undefined;
    return { descriptor: node + 100, release: () => void this.released.push(node) };
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('gives all who have a node open at once the same backing, and lets go with the last', async () => {
  const world = new World();
  world.copied.add(7 as NodeId);
  const [first, second] = await Promise.all([world.open(7), world.open(7)]);
  expect([first.backing, second.backing]).toEqual([1, 1]);
  expect(world.backings.open_).toEqual([107]);
  await world.files.release(first.handle);
  await settled();
  expect(world.backings.closed).toEqual([]);
  await world.files.release(second.handle);
  await settled();
  expect([world.backings.closed, world.released]).toEqual([[1], [7]]);
});

it('goes on without for all who have a node open, when the first was opened without', async () => {
  const world = new World();
  const first = await world.open(7);
  expect(first.backing).toBeUndefined();
  world.copied.add(7 as NodeId);
  const second = await world.open(7);
  expect(second.backing).toBeUndefined();
  await world.files.release(first.handle);
  expect((await world.open(7)).backing).toBeUndefined();
  await world.files.release(second.handle);
  await world.files.release(3 as FileHandle);
  await settled();
  expect((await world.open(7)).backing).toBe(1);
});

it('has who opens while it is being decided wait for that', async () => {
  const world = new World();
  world.copied.add(7 as NodeId);
  const gate = new Gate();
  world.copyGate = gate.opened;
  const opening = [world.open(7), world.open(7)];
  await settled();
  expect(world.backings.open_).toEqual([]);
  gate.open();
  expect((await Promise.all(opening)).map(({ backing }) => backing)).toEqual([1, 1]);
});

it('holds nothing for a node that could not be opened', async () => {
  const world = new World();
  world.copied.add(7 as NodeId);
  world.failsToOpen = true;
  await expect(world.open(7)).rejects.toThrow('cannot be opened');
  world.failsToOpen = false;
  const { handle, backing } = await world.open(7);
  expect(backing).toBe(1);
  await world.files.release(handle);
  await settled();
  expect(world.released).toEqual([7]);
});

it('stops asking when the kernel does not take files, and says so once', async () => {
  const world = new World();
  for (const node of [7, 8]) world.copied.add(node as NodeId);
  world.refusal = new Error('EPERM');
  expect((await world.open(7)).backing).toBeUndefined();
  world.refusal = undefined;
  expect((await world.open(8)).backing).toBeUndefined();
  expect(world.released).toEqual([7]);
  expect(world.log).toHaveLength(1);
});

it('leaves a file whose content cannot be told to be read as ever', async () => {
  const world = new World();
  world.copied.add(7 as NodeId);
  world.versionIsUnknown = true;
  const { handle, backing } = await world.open(7);
  expect(backing).toBeUndefined();
  await world.files.release(handle);
  await settled();
  world.versionIsUnknown = false;
  expect((await world.open(7)).backing).toBe(1);
});
