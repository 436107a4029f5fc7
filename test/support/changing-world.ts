import { constants } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Api } from '../../src/api/api.ts';
import { createApi } from '../../src/api/create-api.ts';
import { createStorageClient } from '../../src/api/create-storage-client.ts';
import type { Capability } from '../../src/api/model.ts';
import { MemoryPool } from '../../src/content/memory/memory-pool.ts';
import type { ContentWriter } from '../../src/content/ports.ts';
import { createContentReader } from '../../src/content/read/content-reader.ts';
import { createContentWriter } from '../../src/content/write/content-writer.ts';
import { createJobs } from '../../src/jobs/create-jobs.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { ProcessTable } from '../../src/lib/process-table.ts';
import { type ChangingSide, createChangingSide } from '../../src/vfs/create-changing-side.ts';
import { Details } from '../../src/vfs/directories/details.ts';
import { ErrorRegistry } from '../../src/vfs/errors/error-registry.ts';
import type { FileHandle, RenameFlags, RequestContext } from '../../src/vfs/file-system.ts';
import { PlatformTree } from '../../src/vfs/listing/platform-tree.ts';
import { Beliefs } from '../../src/vfs/model/beliefs.ts';
import { KernelLink } from '../../src/vfs/model/kernel-link.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeDirectoryNode,
} from '../../src/vfs/model/node.ts';
import { folderIdOf } from '../../src/vfs/model/node.ts';
import { NodeMaker } from '../../src/vfs/model/node-maker.ts';
import { NodeTable } from '../../src/vfs/model/node-table.ts';
import type { FileNode } from '../../src/vfs/model/operations.ts';
import type { TreeOptions } from '../../src/vfs/model/tree.ts';
import { UnkeptCounts } from '../../src/vfs/model/unkept-counts.ts';
import { LinesLogger, TestService, type TestUser } from '../service/test-service.ts';
import { copyLiving } from './copy-living.ts';
import { FolderStateInMemory } from './folder-state-in-memory.ts';

export const { O_RDONLY, O_WRONLY, O_RDWR, O_TRUNC, O_EXCL } = constants;
export const REPLACE: RenameFlags = { noReplace: false, exchange: false, whiteout: false };

/** The first mount has its disk there, in the directory of the service. */
const CLIENT = 'client';
const MEMORY_BYTES = 64 * 1024 * 1024;

export interface WorldOptions {
  readonly clock?: Clock;
  /** Default: all that the service offers. */
  readonly capabilities?: readonly Capability[];
  readonly options?: Partial<TreeOptions>;
  /** The root folder of the other project is for what is written to volumes. */
  readonly staging?: boolean;
  /** Default: no limit. */
  readonly spoolSizeBytes?: number;
  /** Puts something between the file system and the platform. */
  readonly api?: (api: Api) => Api;
}

interface WorldPlace {
  readonly service: TestService;
  readonly user: TestUser;
  readonly directory: string;
}

/** Which thread belongs to which process; threads not named are their own. */
export class FakeProcesses implements ProcessTable {
  readonly threads = new Map<number, number | undefined>();
  /** Threads that are ending, and how. */
  readonly ends = new Map<number, 'exit' | 'kill'>();

  async processOf(thread: number): Promise<number | undefined> {
    return this.threads.has(thread) ? this.threads.get(thread) : thread;
  }

  async endOf(thread: number): Promise<'exit' | 'kill' | undefined> {
    return this.ends.get(thread);
  }
}

/** The changing side of the file system over a service in this process, without a kernel. */
export class ChangingWorld {
  readonly service: TestService;
  /** Another client of the same account. */
  readonly user: TestUser;
  readonly processes = new FakeProcesses();
  readonly tree: PlatformTree;
  readonly writer: ContentWriter;
  side!: ChangingSide;
  /** Root folder of a project. */
  readonly folder: ProjectFolderNode;
  readonly otherProject: ProjectFolderNode;
  readonly #make: NodeMaker;
  /** In the service's. */
  readonly #directory: string;
  readonly #end: () => Promise<void>;

  static async start(options: WorldOptions = {}): Promise<ChangingWorld> {
    const service = await TestService.start({ workers: true });
    const user = await service.user('ada');
    await user.project('one');
    await user.project('two');
    return ChangingWorld.#over(new ChangingWorld({ service, user, directory: CLIENT }, options), options);
  }

  /** Files of the journal of what steps aside. */
  async asides(): Promise<readonly string[]> {
    return readdir(join(this.service.dataDir, this.#directory, 'asides')).catch(() => []);
  }

  /** The next mount, as if this one had been killed now: it has what this one has on disk. Ends before this one does. */
  async afterKill(options: WorldOptions = {}): Promise<ChangingWorld> {
    const { service, user } = this;
    const directory = `${this.#directory}-killed`;
    await copyLiving(join(service.dataDir, this.#directory), join(service.dataDir, directory));
    const next = await ChangingWorld.#over(new ChangingWorld({ service, user, directory }, options), options);
    await next.side.recover();
    await next.side.resumeUploads();
    return next;
  }

  static async #over(world: ChangingWorld, options: WorldOptions): Promise<ChangingWorld> {
    const { service } = world;
    const signal = new AbortController().signal;
    for (const { project } of [world.folder, world.otherProject])
      project.record = await world.tree.api.projects.get(project.id, { signal });
    const { record } = world.otherProject.project;
    world.side = createChangingSide(world.tree, {
      processes: world.processes,
      asideDirectory: join(service.dataDir, world.#directory, 'asides'),
      staging:
        options.staging && record
          ? { project: record.id, folder: record.rootFolder, permissions: record.permissions }
          : undefined,
    });
    return world;
  }

  private constructor({ service, user, directory: name }: WorldPlace, options: WorldOptions) {
    const { clock = systemClock } = options;
    const directory = join(service.dataDir, name);
    const real = createApi({ endpoint: service.url, token: user.token, clock: systemClock });
    const chosen = options.capabilities;
    const limited = chosen ? withMethods(real, { capabilities: async () => new Set(chosen) }) : real;
    const api = options.api?.(limited) ?? limited;
    const storage = createStorageClient({ clock: systemClock });
    const memory = new MemoryPool(MEMORY_BYTES);
    const reader = createContentReader({ api, storage, memory, clock });
    const writer = createContentWriter({
      partSizeBytes: 16 * 1024 * 1024,
      spoolSizeBytes: options.spoolSizeBytes ?? Number.POSITIVE_INFINITY,
      api,
      storage,
      reader,
      memory,
      clock,
      directory: join(directory, 'up'),
      deliver: async () => {},
    });
    const nodes = new NodeTable();
    const folderState = new FolderStateInMemory();
    const make = new NodeMaker(nodes, folderState);
    const treeOptions: TreeOptions = {
      metadataTtlMs: 60_000,
      readOnly: false,
      uid: 1000,
      gid: 1000,
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
      ...options.options,
    };
    this.#make = make;
    this.#directory = name;
    this.service = service;
    this.user = user;
    this.writer = writer;
    this.tree = new PlatformTree({
      api,
      beliefs: new Beliefs(api),
      reader,
      writer,
      jobs: createJobs({ api, clock: systemClock }),
      clock,
      log: new LinesLogger(),
      options: treeOptions,
      folderState,
      unkept: new UnkeptCounts(),
      nodes,
      make,
      kernel: new KernelLink(),
      errors: new ErrorRegistry(),
      details: new Details({ api, clock, ttlMs: 60_000, beliefs: new Beliefs(api) }),
      root: {
        ttlMs: 60_000,
        entries: () => ({
          entries: [this.folder, this.otherProject].map((node) => ({ name: node.name, make: () => node })),
        }),
      },
    });
    const { root } = this.tree;
    const project = (id: string, name: string) =>
      make.projectFolder({ parent: root, name }, { id, record: undefined }, undefined);
    this.folder = project('ada/one', 'one');
    this.otherProject = project('ada/two', 'two');
    this.#end = async () => {
      this.side.openFiles.close();
      await writer.close();
      await storage.close();
      await api.close();
      if (name === CLIENT) await service.stop();
    };
  }

  end(): Promise<void> {
    return this.#end();
  }

  /** A new volume with these objects; the bucket is a directory of the service. */
  async volume(
    name: string,
    objects: Readonly<Record<string, string>> = {},
    accessMode: 'RW' | 'RO' = 'RW',
  ): Promise<VolumeDirectoryNode> {
    const service = { type: 's3', bucket: name, credentials: { access_key_id: 'k', secret_access_key: 's' } };
    await this.user.post('/storage/volumes', { name, access_mode: accessMode, service });
    const record = await this.tree.api.volumes.get(`ada/${name}`);
    const place = { parent: this.tree.root, name };
    const volume = this.#make.volumeDirectory(place, { id: record.id, record }, { prefix: '', local: false });
    for (const [location, content] of Object.entries(objects))
      await this.putObject(volume, location, content);
    return volume;
  }

  /** As another client of the bucket does. */
  async putObject(volume: VolumeDirectoryNode, location: string, content: string): Promise<void> {
    const path = join(this.service.dataDir, 'buckets', volume.name, location);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  /** Objects of a volume by location, as they lie in its bucket. */
  async onVolume(volume: VolumeDirectoryNode): Promise<Record<string, string>> {
    const bucket = join(this.service.dataDir, 'buckets', volume.name);
    const entries = await readdir(bucket, { recursive: true, withFileTypes: true });
    const found: Record<string, string> = {};
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) found[relative(bucket, path)] = await readFile(path, 'utf8');
    }
    return found;
  }

  /** Bytes that passed between this client and the platform's storage since the last call. */
  storageBytes(): number {
    const { stats } = this.service.services;
    const bytes = stats.storagePutBytes + stats.storageGetBytes;
    stats.reset();
    return bytes;
  }

  /** `cp FROM TO`, as cp(1) asks for it. */
  async copy(from: Node, to: string, parent: DirectoryNode): Promise<void> {
    const source = await this.open(from, O_RDONLY);
    const there = await this.child(to, parent);
    const target = there
      ? await this.open(there, O_WRONLY | O_TRUNC)
      : (await this.create(to, { parent, flags: O_WRONLY | O_EXCL })).handle;
    try {
      for (let offset = 0; ; ) {
        const length = 1 << 30;
        const copied = await this.side.openFiles.copyFileRange(
          { handle: source, offset },
          { handle: target, offset },
          { length, context: this.by() },
        );
        if (copied === 0) break;
        offset += copied;
      }
    } finally {
      await this.close(target);
      await this.close(source);
    }
  }

  /** A request of a process. */
  by(pid = 1, signal = new AbortController().signal): RequestContext {
    return { uid: 1000, gid: 1000, pid, signal };
  }

  async open(node: Node, flags: number, context = this.by()): Promise<FileHandle> {
    return (await this.side.openFiles.open(node as FileNode, flags, context)).handle;
  }

  async create(
    name: string,
    how: { readonly parent?: DirectoryNode; readonly flags?: number; readonly by?: RequestContext } = {},
  ): Promise<{ readonly node: ProjectFileNode; readonly handle: FileHandle }> {
    const { parent = this.folder, flags = O_WRONLY, by = this.by() } = how;
    const { node, open } = await this.side.openFiles.create({ parent, name }, { mode: 0o644, flags }, by);
    return { node: node as ProjectFileNode, handle: open.handle };
  }

  async write(handle: FileHandle, text: string, offset = 0): Promise<void> {
    await this.side.openFiles.write({ handle, offset }, Buffer.from(text), this.by());
  }

  /** close(2) of the only descriptor. */
  async close(handle: FileHandle, context = this.by()): Promise<void> {
    try {
      await this.side.openFiles.flush(handle, context);
    } finally {
      await this.side.openFiles.release(handle);
    }
  }

  /** `echo -n TEXT > NAME` */
  async put(name: string, text: string, parent: DirectoryNode = this.folder): Promise<ProjectFileNode> {
    const there = await this.child(name, parent);
    const { node, handle } = there
      ? { node: there, handle: await this.open(there, O_WRONLY | O_TRUNC) }
      : await this.create(name, { parent, flags: O_WRONLY | O_TRUNC });
    await this.write(handle, text);
    await this.close(handle);
    return node as ProjectFileNode;
  }

  async read(handle: FileHandle): Promise<string> {
    const reply = await this.side.openFiles.read({ handle, offset: 0 }, 1 << 20, this.by());
    const text = Buffer.concat(reply.chunks).toString('utf8');
    reply.release?.();
    return text;
  }

  /** `cat NAME`, as this mount sees it. */
  async cat(name: string, parent: DirectoryNode = this.folder): Promise<string> {
    const node = await this.child(name, parent);
    if (!node) throw new Error(`no ${name}`);
    const handle = await this.open(node, O_RDONLY);
    const text = await this.read(handle);
    await this.close(handle);
    return text;
  }

  async child(name: string, parent: DirectoryNode = this.folder): Promise<Node | undefined> {
    return this.tree.childOf(parent, name, new AbortController().signal);
  }

  rename(
    from: string,
    to: string,
    how: { parent?: DirectoryNode; toParent?: DirectoryNode; noReplace?: boolean } = {},
  ): Promise<void> {
    const { parent = this.folder, toParent = parent, noReplace = false } = how;
    return Promise.resolve(
      this.side.mutations.rename(
        { parent, name: from },
        { parent: toParent, name: to },
        { flags: { ...REPLACE, noReplace }, context: this.by() },
      ),
    );
  }

  /** Content by name, as another client finds it on the platform. */
  async onPlatform(folder: ProjectFolderNode = this.folder): Promise<Record<string, string>> {
    const { body } = await this.user.get(`/files/${folderIdOf(folder)}/list?limit=100`);
    const found: Record<string, string> = {};
    for (const { id, name, type } of body.items) {
      found[name] = type === 'FOLDER' ? '/' : await (await this.user.download(id)).text();
    }
    return found;
  }
}

/** `target`, but for some methods. */
export function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (_, key) => {
      const value = Reflect.get(key in methods ? methods : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
