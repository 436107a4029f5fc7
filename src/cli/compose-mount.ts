import { openBuckets } from '../api/buckets/open-buckets.ts';
import { withBuckets } from '../api/buckets/with-buckets.ts';
import type { ApiClient } from '../api/create-api.ts';
import { Network } from '../api/network/network.ts';
import type { AccountDirectory } from '../config/directories.ts';
import { TEMPORARY_IN_PROJECTS, TEMPORARY_NAMES } from '../config/temporary-names.ts';
import { type OpenedDiskCache, openDiskCache } from '../content/disk/open-disk-cache.ts';
import { VerifiedCopies } from '../content/disk/verified-copies.ts';
import type { LocalCopies } from '../content/local-copies.ts';
import { MemoryPool } from '../content/memory/memory-pool.ts';
import type { ContentWriter, DeliverObject } from '../content/ports.ts';
import { type CachingReader, createContentReader } from '../content/read/content-reader.ts';
import { createContentWriter } from '../content/write/content-writer.ts';
import { diskRoom } from '../content/write/spool/disk-limit.ts';
import { OwedEdits } from '../edits/owed-edits.ts';
import { withOwedEdits } from '../edits/with-owed-edits.ts';
import { mountFuseNative } from '../fuse/fuse-native-driver.ts';
import type { Driver, Mount } from '../fuse/mount.ts';
import { MountError } from '../fuse/mount-error.ts';
import { mountNative } from '../fuse/mount-native.ts';
import { servePassed } from '../fuse/serve-passed.ts';
import { createJobs } from '../jobs/create-jobs.ts';
import { systemClock } from '../lib/clock.ts';
import { errnoNumber } from '../lib/errno.ts';
import { messageOf } from '../lib/message-of.ts';
import type { LogControl, Logger } from '../observe/logger.ts';
import { OperationCounts } from '../observe/operation-counts.ts';
import {
  createFileSystem,
  type FileSystemOptions,
  type MountedFileSystem,
} from '../vfs/create-file-system.ts';
import type { Selection } from '../vfs/directories/selection.ts';
import { errnoOf } from '../vfs/errors/errno-of.ts';
import { NotTextError } from '../vfs/errors/fs-error.ts';
import type { NodeId } from '../vfs/file-system.ts';
import { Beliefs } from '../vfs/model/beliefs.ts';
import type { TreeOptions } from '../vfs/model/tree.ts';
import { UnkeptCounts } from '../vfs/model/unkept-counts.ts';
import type { Staging } from '../vfs/publish/staging.ts';
import type { OperationWatch } from '../vfs/watch-operations.ts';
import { CliError } from './exit-codes.ts';
import { checkSelection } from './mount/check-selection.ts';
import type { Clients } from './mount/connect-clients.ts';
import { type MountSettings, PASSED_DEVICE } from './mount/daemon-messages.ts';
import { deliverObject } from './mount/deliver-object.ts';
import { findStaging } from './mount/find-staging.ts';
import type { Inquiries } from './mount/inquiries.ts';
import { memoryBudget } from './mount/memory-budget.ts';
import { MountHistory } from './mount/mount-history.ts';
import { identityOf } from './mount/mount-identity.ts';
import { mountInformation } from './mount/mount-information.ts';
import type { OperationSpans } from './mount/operation-spans.ts';
import { leadsInside } from './mount/own-files.ts';
import { roomForParts } from './mount/room-for-parts.ts';
import type { RunningMount } from './mount/running-mount.ts';
import { Tracer } from './mount/trace/tracer.ts';

const DRIVERS: Readonly<Record<MountSettings['options']['driver'], Driver>> = {
  native: mountNative,
  'fuse-native': mountFuseNative,
};

export interface ComposedMount extends RunningMount {
  readonly inquiries: Inquiries;
  /** Warnings, for the person who mounts, of options that work less than was asked for. */
  readonly warnings: readonly string[];
}

interface MountContext {
  readonly log: Logger;
  readonly logControl: LogControl;
  readonly account: AccountDirectory;
  /** They outlive the mount. */
  readonly clients: Clients;
  /** Of the token. */
  readonly username: string;
}

/** The mount put together: bytes, jobs, file system, kernel. */
export async function composeMount(settings: MountSettings, context: MountContext): Promise<ComposedMount> {
  const { options } = settings;
  const { account, clients } = context;
  const buckets = await openBuckets({
    api: clients.api,
    accesses: settings.buckets,
    clock: systemClock,
    network: new Network(settings.network),
    timeoutMs: options.retryTimeout,
  });
  const edits = await editsOf(settings, context);
  const api = withOwedEdits(withBuckets(clients.api, buckets), edits);
  const memory = new MemoryPool(options.memory ?? memoryBudget(roomForParts(options.partSize)));
  const shrinking = setInterval(() => memory.shrinkWhenIdle(), LOOKS_FOR_IDLE_MEMORY_MS).unref();
  const disk = await diskCacheOf(settings, memory, context.log);
  const selectionWarnings = await checkSelection(api, { ...selectionOf(options), root: options.root });
  const jobs = createJobs({ api, clock: systemClock });
  const staging = await stagingOf(api, options);
  const deliver = deliverObject({ api, jobs, staging });
  const bytes = bytesOf(settings, { ...clients, api, memory, disk, deliver, directory: account.uploads });
  const { writer } = bytes;
  const warnings = [
    ...buckets.warnings,
    ...selectionWarnings,
    ...(disk?.warning === undefined ? [] : [disk.warning]),
  ];
  const operations = new OperationCounts();
  const unkept = new UnkeptCounts();
  const beliefs = new Beliefs(api);
  const counted = { ...clients, ...bytes, jobs, operations, unkept, beliefs };
  const information = mountInformation(settings, counted);
  const watch: OperationWatch = { watcher: undefined };
  const files = await createFileSystemAt({
    api,
    watch,
    ...bytes,
    jobs,
    edits,
    clock: systemClock,
    log: context.log,
    options: treeOptions(options),
    stateDirectory: account.root,
    information,
    unkept,
    beliefs,
    localCopies: localCopiesOf(options, bytes),
    staging,
    root: options.root,
    manifest: settings.manifest,
    selection: selectionOf(options),
  });
  // The first program finds warm connections, its project, and what this service adds.
  api.capabilities().catch(() => {});
  files.askAhead();
  await files.recover();
  const { pathOfNode, shownPath } = files;
  const tracer = new Tracer({ watch, clock: systemClock, pathOfNode, shownPath });
  const ending = new AbortController();
  const mount = await mountOnKernel(settings, { files, operations, tracer, spans: clients.traces?.spans });
  const history = new MountHistory(information.statistics, systemClock);
  return {
    pending: () => [
      ...writer.uploads().flatMap(({ label, state }) => (UNFINISHED.includes(state) ? [label] : [])),
      ...new Set(edits.waiting.map(({ label }) => `${label} (its metadata)`)),
    ],
    idle: (signal) => files.idle(signal),
    unmount: () => unmountUnlessBusy(mount),
    detachNow: () => mount.detachNow(),
    closed: mount.closed,
    // From the kernel down: nobody is left to ask when a part ends.
    close: async () => {
      ending.abort();
      history.close();
      await files.close();
      jobs.close();
      await edits.close();
      await writer.close();
      await buckets.close();
      await disk?.cache?.close();
      clearInterval(shrinking);
    },
    inquiries: {
      tracer,
      clock: systemClock,
      ending: ending.signal,
      api,
      readOnly: options.readOnly,
      deletes: options.delete,
      overwrites: options.overwrite,
      keepsTrash: options.trash !== undefined,
      confirmDelete: options.confirmDelete,
      jobs,
      writer,
      editedFiles: () => new Set(edits.waiting.map(({ file }) => file)).size,
      identity: identityOf(settings, context.username, systemClock.now()),
      failures: files.failures,
      failureAt: files.failureAt,
      unwritableAt: files.unwritableAt,
      hiddenAt: files.hiddenAt,
      pathInTree: files.pathInTree,
      flush: files.flush,
      retryKept: files.retryKept,
      dropKept: files.dropKept,
      rates: { upload: options.limitUpload, download: options.limitDownload },
      contentsAt: files.contentsAt,
      placeAt: files.placeAt,
      learnAnnotations: files.learnAnnotations,
      allowDeletions: files.allowDeletions,
      learnEntries: files.learnEntries,
      learnItems: files.learnItems,
      refreshAt: files.refreshAt,
      learnTasks: files.learnTasks,
      trashPlaceAt: files.trashPlaceAt,
      lookAgainAt: files.lookAgainAt,
      pinsAt: files.pinsAt,
      logControl: context.logControl,
      exchanges: () => clients.service.exchanges(),
      statistics: information.statistics,
      history,
      metrics: information.metrics,
      circumstances: information.circumstances,
      cached: bytes.reader.cached,
      warnings,
    },
    warnings,
  };
}

/** Of uploads: what an unmount waits for. */
const UNFINISHED: readonly string[] = ['waiting', 'publishing'];

/** Memory goes back to the machine when nobody asks for any in the time between two looks. */
const LOOKS_FOR_IDLE_MEMORY_MS = 15_000;

/** Changes of metadata that follow their calls, and those that an ended mount left. */
function editsOf({ options }: MountSettings, { account, clients }: MountContext): Promise<OwedEdits> {
  return OwedEdits.open({
    api: clients.api,
    clock: systemClock,
    directory: account.uploads,
    follow: options.writeBack,
    foldMs: FOLD_MS,
  });
}

/** Of the memory, for bytes on their way to the disk cache. */
const WRITE_BEHIND_SHARE = 1 / 8;

async function diskCacheOf(
  settings: MountSettings,
  memory: MemoryPool,
  log: Logger,
): Promise<OpenedDiskCache | undefined> {
  const { endpoint, options } = settings;
  const { cacheDir, cacheSize, cacheMinFree } = options;
  if (cacheDir === undefined) return undefined;
  if (await leadsInside(settings, cacheDir)) {
    const warning = `no disk cache: ${cacheDir} lies in the mount; give another directory (--cache-dir)`;
    return { cache: undefined, warning };
  }
  return openDiskCache({
    directory: cacheDir,
    sizeBytes: cacheSize,
    minFreeBytes: cacheMinFree,
    endpoint,
    clock: systemClock,
    writeBehindBytes: memory.limitBytes * WRITE_BEHIND_SHARE,
    onObstacle: (obstacles) =>
      log.warn({ ...obstacles, cacheDir }, 'disk cache: cannot be examined or evicted'),
  });
}

interface Bytes {
  readonly reader: CachingReader;
  readonly writer: ContentWriter;
  readonly memory: MemoryPool;
  readonly disk: OpenedDiskCache | undefined;
}

/**
 * The files that the kernel may read itself. Only on a mount that cannot be written to: the kernel would not see new
 * bytes.
 */
function localCopiesOf(
  { readOnly }: MountSettings['options'],
  { disk, memory }: Bytes,
): LocalCopies | undefined {
  if (!readOnly || disk?.cache === undefined) return undefined;
  return new VerifiedCopies({ disk: disk.cache, memory, clock: systemClock });
}

interface ByteParts extends Clients, Pick<Bytes, 'memory' | 'disk'> {
  readonly directory: string;
  readonly deliver: DeliverObject;
}

function bytesOf({ options }: MountSettings, parts: ByteParts): Bytes {
  const { api, storage, directory, memory, disk, deliver } = parts;
  const shared = { api, storage, memory, clock: systemClock };
  const reader = createContentReader({ ...shared, disk: disk?.cache });
  const writer = createContentWriter({
    ...shared,
    reader,
    directory,
    deliver,
    partsInFlight: options.uploads,
    partSizeBytes: options.partSize,
    md5Sum: options.md5Sum,
    disk: diskRoom(directory, options.cacheMinFree),
    ...(options.spoolSize !== undefined && { spoolSizeBytes: options.spoolSize }),
  });
  return { reader, writer, memory, disk };
}

/** With `--write-back`, unless `--export-delay` says another. */
const EXPORT_DELAY_MS = 5000;
/** As long as tools take from closing a file to naming and describing it. */
const FOLD_MS = 1000;

/** The file system chooses every value that is undefined. */
function treeOptions(options: MountSettings['options']): Partial<TreeOptions> {
  const { metadataTtl, readOnly, renameWait, umask, uid, gid } = options;
  const { temporaryNames, afterExport, onKilled, conflict, writeBack } = options;
  const { owner, unkept, symlinks, aliasWrite, allowOther, delete: deletes, overwrite: overwrites } = options;
  return {
    metadataTtlMs: metadataTtl,
    readOnly,
    renameWaitMs: renameWait,
    temporaryNames: temporaryNames ?? TEMPORARY_NAMES,
    temporaryInProjects: temporaryNames ?? TEMPORARY_IN_PROJECTS,
    afterExport,
    onKilled,
    // A file that another client makes meanwhile is not replaced either.
    conflict: overwrites ? conflict : 'fail',
    deletes,
    overwrites,
    confirmDelete: options.confirmDelete,
    trashDays: options.trash,
    writeBack,
    exportDelayMs: options.exportDelay ?? EXPORT_DELAY_MS,
    foldMs: FOLD_MS,
    owner,
    unkept,
    symlinks,
    aliasWrite,
    allowOther,
    showsControl: options.showControl,
    umask,
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  };
}

async function stagingOf(api: ApiClient, options: MountSettings['options']): Promise<Staging | undefined> {
  const { stagingProject, readOnly } = options;
  return stagingProject === undefined || readOnly ? undefined : findStaging(api, stagingProject);
}

/** Of a mount that begins deeper, the one project or volume that it is in: no list of them is asked for. */
function selectionOf({ root, trees, project, volume }: MountSettings['options']): Selection {
  if (root === undefined) return { trees, projects: project, volumes: volume };
  const [tree, owner = '', name = ''] = root.split('/');
  return tree === 'volumes' ? { volumes: [`${owner}/${name}`] } : { projects: [`${owner}/${name}`] };
}

/** @throws CliError when there is no directory at which the mount could begin */
async function createFileSystemAt(options: FileSystemOptions): Promise<MountedFileSystem> {
  try {
    return await createFileSystem(options);
  } catch (error) {
    if (options.root === undefined || !NO_ROOT.has(errnoOf(error))) throw error;
    throw new CliError('usage', `--root ${options.root}: ${messageOf(error)}`, { cause: error });
  }
}

const NO_ROOT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ESTALE', 'EACCES']);

interface ObservedParts {
  readonly files: MountedFileSystem;
  readonly operations: OperationCounts;
  readonly tracer: Tracer;
  readonly spans: OperationSpans | undefined;
}

function mountOnKernel(
  { endpoint, mountPoint, options, passed }: MountSettings,
  { files, operations, tracer, spans }: ObservedParts,
): Promise<Mount> {
  const mount: Driver =
    passed === undefined
      ? DRIVERS[options.driver]
      : (fs, how) => servePassed(fs, { ...passed, descriptor: PASSED_DEVICE }, how);
  return mount(files.fileSystem, {
    mountPoint,
    fsName: `svcfs:${new URL(endpoint).host}${options.root === undefined ? '' : `/${options.root}`}`,
    readOnly: options.readOnly,
    noExec: options.noexec,
    passthrough: files.passesThrough,
    allowOther: options.allowOther,
    errnoOf: (error) => errnoNumber(errnoOf(error)),
    observer: {
      onReply: (record) => {
        const { operation, errno, durationMs, nodeId, error } = record;
        operations.add(operation, errno, durationMs);
        tracer.onReply(record);
        spans?.onReply(record);
        if (!(error instanceof NotTextError)) return;
        const refused = { op: operation.toLowerCase(), parent: nodeId as NodeId, name: error.shown };
        files.nameRefused(refused, error);
      },
    },
  });
}

async function unmountUnlessBusy(mount: Mount): ReturnType<ComposedMount['unmount']> {
  try {
    await mount.unmount();
    return 'unmounted';
  } catch (error) {
    if (!(error instanceof MountError)) throw error;
    if (error.kind === 'busy' || error.kind === 'held' || error.kind === 'not-ours') return error.kind;
    throw error;
  }
}
