import { setMaxListeners } from 'node:events';
import { Details } from '../../src/vfs/directories/details.ts';
import { type Catalogs, createCatalogs, root } from '../../src/vfs/directories/root.ts';
import type { Selection } from '../../src/vfs/directories/selection.ts';
import { ErrorRegistry } from '../../src/vfs/errors/error-registry.ts';
import type { DirEntry, DirSink, Entry, FileHandle, KernelCaches } from '../../src/vfs/file-system.ts';
import { OpenDirectories } from '../../src/vfs/listing/open-directories.ts';
import { PlatformTree } from '../../src/vfs/listing/platform-tree.ts';
import { Beliefs } from '../../src/vfs/model/beliefs.ts';
import { KernelLink } from '../../src/vfs/model/kernel-link.ts';
import type { DirectoryNode, Node, ProjectFileNode } from '../../src/vfs/model/node.ts';
import { isDirectory } from '../../src/vfs/model/node.ts';
import { NodeMaker } from '../../src/vfs/model/node-maker.ts';
import { NodeTable } from '../../src/vfs/model/node-table.ts';
import type { TreeParts } from '../../src/vfs/model/tree.ts';
import { UnkeptCounts } from '../../src/vfs/model/unkept-counts.ts';
import { fixedEntries } from '../../src/vfs/synthetic/entries.ts';
import { Xattrs } from '../../src/vfs/xattr/xattrs.ts';
import { FakeApi } from './fake-api.ts';
import { FakeClock } from './fake-clock.ts';

export const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);
export const TTL_MS = 60_000;

/** Records the entries that the file system asked the kernel to forget. */
export class RecordedKernel implements KernelCaches {
  readonly entries: string[] = [];
  readonly nodes: number[] = [];
  invalidateEntry(parent: number, name: string): void {
    this.entries.push(`${parent}/${name}`);
  }
  lookedUp(_parent: number, _name: string): void {}
  invalidateNode(node: number): void {
    this.nodes.push(node);
  }
}

/** The reading side of the file system over a platform in memory, with a clock that the test moves. */
export class ReadingWorld {
  readonly platform = new FakeApi();
  readonly clock = new FakeClock();
  readonly kernel = new RecordedKernel();
  readonly log: object[] = [];
  readonly beliefs: Beliefs;
  readonly tree: PlatformTree;
  readonly directories: OpenDirectories;
  readonly xattrs: Xattrs;
  readonly jobs: object[] = [];
  readonly catalogs: Catalogs;

  constructor(
    options: Partial<TreeParts['options']> = {},
    { selection, ...limits }: { readonly mostEntries?: number; readonly selection?: Selection } = {},
  ) {
    const { api } = this.platform;
    const { clock } = this;
    const nodes = new NodeTable();
    const facts = new Map<string, object>();
    const folderState = {
      get: (id: string) => facts.get(id),
      set: (id: string, set: object) => void facts.set(id, { ...facts.get(id), ...set }),
      forgetTime: (id: string) => void facts.delete(id),
      delete: (id: string) => void facts.delete(id),
      flush: async () => undefined,
    };
    const make = new NodeMaker(nodes, folderState);
    this.beliefs = new Beliefs(api);
    this.catalogs = createCatalogs(api, { clock, ttlMs: TTL_MS }, selection);
    const details = new Details({ api, clock, ttlMs: TTL_MS, beliefs: this.beliefs });
    const kernel = new KernelLink();
    kernel.attach(this.kernel);
    const line = (fields: object): void => void this.log.push(fields);
    this.tree = new PlatformTree({
      api,
      beliefs: this.beliefs,
      reader: { open: () => unused() },
      writer: { uploads: () => [] } as unknown as TreeParts['writer'],
      jobs: { ofPath: () => this.jobs[0] } as unknown as TreeParts['jobs'],
      clock,
      log: { error: line, warn: line, info: line, debug: line },
      options: {
        metadataTtlMs: TTL_MS,
        readOnly: false,
        uid: 1,
        gid: 2,
        allowOther: false,
        umask: 0o022,
        renameWaitMs: undefined,
        mounter: { uid: 1000, gid: 1000 },
        owner: 'mounter',
        unkept: 'ignore',
        aliasWrite: 'refuse',
        deletes: true,
        overwrites: true,
        afterExport: 'keep',
        onKilled: 'publish',
        conflict: 'last',
        writeBack: false,
        exportDelayMs: 0,
        foldMs: 0,
        symlinks: true,
        temporaryNames: [],
        temporaryInProjects: [],
        showsControl: false,
        ...options,
      },
      folderState,
      unkept: new UnkeptCounts(),
      nodes,
      make,
      kernel,
      errors: new ErrorRegistry(),
      details,
      ...limits,
      root: root({
        catalogs: this.catalogs,
        make,
        ttlMs: TTL_MS,
        control: fixedEntries({}),
        showsControl: false,
        synthetic: { apps: fixedEntries({}), tasks: fixedEntries({}), billing: fixedEntries({}) },
        selection,
      }),
    });
    this.directories = new OpenDirectories(this.tree);
    this.xattrs = new Xattrs(this.tree, details);
  }

  /** The node at a path; throws when there is nothing. */
  async at(path: string): Promise<Node> {
    const node = await this.lookup(path);
    if (!node) throw new Error(`${path}: nothing there`);
    return node;
  }

  async lookup(path: string): Promise<Node | undefined> {
    let node: Node | undefined = this.tree.root;
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (!node || !isDirectory(node)) return undefined;
      node = await this.tree.childOf(node, name, NEVER);
    }
    return node;
  }

  async directory(path: string): Promise<DirectoryNode> {
    const node = await this.at(path);
    if (!isDirectory(node)) throw new Error(`${path} is no directory`);
    return node;
  }

  async file(path: string): Promise<ProjectFileNode> {
    const node = await this.at(path);
    if (node.kind !== 'project-file') throw new Error(`${path} is no file`);
    return node;
  }

  /** As `ls` does it: opens, reads to the end, closes. */
  async list(directory: DirectoryNode, room = 50): Promise<string[]> {
    const handle = this.directories.open(directory);
    try {
      return (await this.readAll(handle, room))
        .map(({ name }) => name)
        .filter((name) => !/^\.\.?$/.test(name));
    } finally {
      this.directories.release(handle);
    }
  }

  async readAll(handle: FileHandle, room = 50, from = 0): Promise<DirEntry[]> {
    const all: DirEntry[] = [];
    for (let offset = from; ; offset = all.at(-1)?.nextOffset ?? offset) {
      const { entries } = await this.read(handle, offset, room);
      if (entries.length === 0) return all;
      all.push(...entries);
    }
  }

  /** One READDIRPLUS with room for so many entries. */
  async read(
    handle: FileHandle,
    offset: number,
    room: number,
  ): Promise<{ entries: DirEntry[]; found: Entry[] }> {
    const entries: DirEntry[] = [];
    const found: Entry[] = [];
    const add = (entry: DirEntry): boolean => entries.length < room && entries.push(entry) > 0;
    const sink: DirSink = { add, addWithAttributes: (entry, node) => add(entry) && found.push(node) > 0 };
    await this.directories.read(handle, offset, { sink, signal: NEVER });
    return { entries, found };
  }
}

function unused(): never {
  throw new Error('not part of this test');
}
