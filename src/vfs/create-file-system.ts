import { join } from 'node:path';
import type { TaskRecord } from '../api/model.ts';
import type { LocalCopies } from '../content/local-copies.ts';
import type { ContentVersion } from '../content/ports.ts';
import type { ProcessTable } from '../lib/process-table.ts';
import { procProcessTable } from '../lib/process-table.ts';
import { NEVER_ABORTED } from '../lib/shared-signals.ts';
import { Annexes } from './annex/annexes.ts';
import { attachAnnexes, pathsWithAnnexes } from './annex/attach-annexes.ts';
import { openFolderState } from './attributes/folder-state-file.ts';
import { DueTrash } from './change/trash/empty-due.ts';
import type { LeftBehind } from './closed/closed-files.ts';
import { type ChangingSide, createChangingSide } from './create-changing-side.ts';
import { Details } from './directories/details.ts';
import { directory, fixedDirectory } from './directories/fixed-directory.ts';
import { pinnedDirectory } from './directories/pinned-directory.ts';
import { controlDirectory, createCatalogs, root } from './directories/root.ts';
import { type Selection, unselectedAt } from './directories/selection.ts';
import { ErrorRegistry, type Failure } from './errors/error-registry.ts';
import { reportFailures } from './errors/report-failures.ts';
import { type Paths, subjectOf } from './errors/subjects.ts';
import type { FileSystem, NodeId } from './file-system.ts';
import { type ContentsOptions, contentsAt, type FoundContent } from './listing/contents-at.ts';
import { type LearntEntries, learnEntries } from './listing/learn-entries.ts';
import { type LearntItem, learnItems } from './listing/learn-items.ts';
import { MountTop } from './listing/mount-top.ts';
import { OpenDirectories } from './listing/open-directories.ts';
import { pinsAt } from './listing/pins-at.ts';
import { type PlatformPlace, placeAt } from './listing/places-at.ts';
import { PlatformTree } from './listing/platform-tree.ts';
import { refreshAt } from './listing/refresh.ts';
import { lookAgainAt, type TrashPlace, trashPlaceAt } from './listing/trash-place.ts';
import type { Beliefs } from './model/beliefs.ts';
import { ANNEX } from './model/escape.ts';
import { KernelLink } from './model/kernel-link.ts';
import { type Node, pathOf } from './model/node.ts';
import { NodeMaker } from './model/node-maker.ts';
import { NodeTable } from './model/node-table.ts';
import { isTreeNumber } from './model/number-ranges.ts';
import type { PinnedFile } from './model/pin.ts';
import type { TreeOptions, TreeParts } from './model/tree.ts';
import { versionOf } from './model/version-of.ts';
import { unwritableAt } from './model/write-access.ts';
import { nameRequesters } from './name-requesters.ts';
import { passThrough } from './pass-through.ts';
import type { Staging } from './publish/staging.ts';
import { SvcFileSystem } from './svc-file-system.ts';
import { attachNotices } from './synthetic/attach-notices.ts';
import { attachSynthetic, pathsWithSynthetic } from './synthetic/attach-synthetic.ts';
import { SyntheticTrees } from './synthetic/synthetic-trees.ts';
import { apps } from './trees/apps/apps.ts';
import { billing } from './trees/billing/billing.ts';
import { control, type MountInformation } from './trees/control/control.ts';
import { TasksTree } from './trees/tasks/tasks-tree.ts';
import type { OperationWatch } from './watch-operations.ts';
import { editsTold } from './xattr/edits-told.ts';
import { type LearntAnnotations, learnAnnotations } from './xattr/learn-annotations.ts';
import { Xattrs } from './xattr/xattrs.ts';

export interface FileSystemOptions extends Omit<TreeParts, 'options' | 'folderState'> {
  readonly options: Partial<TreeOptions>;
  /** For what the platform keeps no place for and what an ended mount left half-done; on no mount of ours. */
  readonly stateDirectory: string;
  readonly information: MountInformation;
  /** Undefined: nothing but copies and moves gets onto volumes. */
  readonly staging?: Staging | undefined;
  /** Default: everything. */
  readonly selection?: Selection | undefined;
  /** The directory of the tree at which the mount begins, as `projects/lab/rna`. Default: the top. */
  readonly root?: string | undefined;
  readonly beliefs: Beliefs;
  /** Exactly these files are shown, as they were pinned; `selection` and `root` mean nothing then. */
  readonly manifest?: readonly PinnedFile[] | undefined;
  readonly processes?: ProcessTable;
  /** Default: nobody ever watches. */
  readonly watch?: OperationWatch;
  /** Files that the kernel may read itself; for mounts that cannot be written to. */
  readonly localCopies?: LocalCopies | undefined;
}

export interface MountedFileSystem {
  readonly fileSystem: FileSystem;
  /** It answers opens with files that the kernel may read itself. */
  readonly passesThrough: boolean;
  /** Asks for the projects now, so that the first program finds the answer on its way. */
  askAhead(): void;
  /** Goes on with what an ended mount left unfinished; once, before the first request. */
  recover(): Promise<void>;
  /** Waits until everything that is closed is on the platform, or its failure recorded; answers what is not. */
  idle(signal: AbortSignal): Promise<LeftBehind>;
  /** Waits until what was closed at a path or below is on the platform; answers what cannot be, and why. */
  flush(path: string, signal: AbortSignal): Promise<readonly Error[]>;
  /** As `ChangingSide` has them. */
  readonly retryKept: ChangingSide['retryKept'];
  readonly dropKept: ChangingSide['dropKept'];
  /** A driver refused a name, which no operation here was told of. */
  nameRefused(
    refused: { readonly op: string; readonly parent: NodeId; readonly name: string },
    error: unknown,
  ): void;
  /** The last failure of each path of the tree, oldest first. */
  failures(): readonly Failure[];
  /** The last failure of a path, of a name in it, or on the way to it, for `svcfs why`. */
  failureAt(path: string): Failure | undefined;
  /** Why nobody may write at a path, which the kernel refuses without a word. */
  unwritableAt(path: string): string | undefined;
  /** Why there is nothing at a path, where that is not for the platform to tell: the mount does not show it. */
  hiddenAt(path: string): string | undefined;
  /** The path in the mount of a node that the kernel knows; `?` for one that is gone. */
  pathOfNode(node: number): string;
  /** The path in the mount of a path in the tree. */
  shownPath(path: string): string;
  /** The path in the tree, by which jobs and uploads are known, of a path below the mount point. */
  pathInTree(path: string): string;
  /** The files at a path or below it. */
  contentsAt(path: string, options: ContentsOptions): AsyncIterable<FoundContent>;
  /** As `contentsAt`, with the facts that a manifest pins. */
  pinsAt(path: string, options: ContentsOptions): AsyncIterable<PinnedFile>;
  /** Where the platform has what is at a path, or can have it. */
  placeAt(path: string, signal: AbortSignal): Promise<PlatformPlace>;
  /** These files have other tags and metadata on the platform now. */
  learnAnnotations(files: readonly LearntAnnotations[]): Promise<void>;
  /** The path in a project that its trash knows a path by. */
  trashPlaceAt(path: string, signal: AbortSignal): Promise<TrashPlace>;
  /** A call beside the tree changed what is at a path from the top of the tree. */
  lookAgainAt(path: string): void;
  /** Lets deletions through that `--confirm-delete` would refuse: at a path and below, or those of a program, for so long. */
  allowDeletions(asked: { readonly path: string } | { readonly pid: number }, forMs: number): void;
  /** These names mean something else on the platform now. */
  learnEntries(changes: readonly LearntEntries[]): void;
  /** These projects and volumes were made, edited or removed. */
  learnItems(items: readonly LearntItem[]): void;
  /** Asks anew now for what is at a path. Answers how many entries a directory has. */
  refreshAt(path: string, signal: AbortSignal): Promise<number | undefined>;
  /** These tasks were made, or are so on the platform now. */
  learnTasks(tasks: readonly TaskRecord[]): void;
  /** After the last request: makes local state durable. The services that the file system was given stay open. */
  close(): Promise<void>;
}

/** The directory of the tree that has the files of a manifest. */
const MANIFEST = 'manifest';
const MINUTE_MS = 60_000;

/**
 * The file system over a client of the platform, as a kernel driver wants it.
 *
 * @throws FsError when there is no directory at `root`
 */
export async function createFileSystem(given: FileSystemOptions): Promise<MountedFileSystem> {
  const folderState = await openFolderState(join(given.stateDirectory, 'folders.json'));
  const options = { ...defaults(), ...given.options };
  const { api, clock, writer, jobs } = given;
  const ttlMs = options.metadataTtlMs;
  const nodes = new NodeTable();
  const make = new NodeMaker(nodes, folderState);
  const errors = new ErrorRegistry();
  const details = new Details({ api, clock, ttlMs, beliefs: given.beliefs });
  const controlSource = control({ errors, jobs, writer, information: given.information });
  const { selection = {} } = given;
  const catalogs = createCatalogs(api, { clock, ttlMs }, selection);
  const tasks = new TasksTree({
    ...{ api, clock, ttlMs, beliefs: given.beliefs, catalog: catalogs.projects },
    onChanged: (paths) => synthetic.changed(paths),
    onFound: (entries) => learnEntries(tree, entries, 'right'),
  });
  const syntheticTrees = {
    apps: apps({ api, projects: catalogs.projects, ttlMs }),
    tasks: tasks.directory,
    billing: billing({ api, clock, ttlMs }),
  };
  const { manifest } = given;
  const rootSource = manifest
    ? fixedDirectory([
        directory(MANIFEST, pinnedDirectory(manifest, { api, make, ttlMs }), make),
        directory(ANNEX, controlDirectory(controlSource, options.showsControl), make),
      ])
    : root({
        catalogs,
        make,
        ttlMs,
        control: controlSource,
        showsControl: options.showsControl,
        synthetic: syntheticTrees,
        selection,
      });
  const tree = new PlatformTree({
    ...given,
    options,
    folderState,
    nodes,
    make,
    errors,
    details,
    kernel: new KernelLink(),
    root: rootSource,
  });
  const processes = given.processes ?? procProcessTable;
  const side = createChangingSide(tree, {
    processes,
    asideDirectory: join(given.stateDirectory, 'aside'),
    staging: given.staging,
  });
  const { openFiles, mutations, recover, resumeUploads, idle, flush, retryKept, dropKept } = side;
  const dueTrash =
    options.trashDays === undefined || options.readOnly ? undefined : new DueTrash(tree, options.trashDays);
  const directories = new OpenDirectories(tree);
  const xattrs = new Xattrs(tree, details);
  const treePaths: Paths = {
    ofNode: (id) => pathOf(nodes.get(id)),
    ofHandle: (handle) => pathOf(openFiles.nodeOf(handle)),
    ofDirectoryHandle: (handle) => pathOf(directories.directoryOf(handle)),
  };
  const synthetic = new SyntheticTrees({ clock, kernel: tree.kernel, errors, options });
  const annexes = new Annexes({ tree, details, processes, directory: join(given.stateDirectory, 'annexes') });
  const paths = pathsWithAnnexes(pathsWithSynthetic(treePaths, synthetic), annexes);
  const reporting = reportFailures(
    attachAnnexes(
      attachNotices(
        attachSynthetic(
          new SvcFileSystem({ tree, directories, files: openFiles, mutations, xattrs, details }),
          synthetic,
          nodes,
        ),
        synthetic,
        nodes,
      ),
      annexes,
      { tree, synthetic },
    ),
    {
      paths,
      report: (failed, error) => tree.recordError(failed, error),
      lookedUp: (path) => errors.lookedUp(path),
      errors,
    },
  );
  const begin = manifest ? MANIFEST : given.root;
  const top = await MountTop.enter(tree, begin, NEVER_ABORTED);
  const naming = nameRequesters(reporting, paths, given.watch ?? { watcher: undefined });
  const { localCopies } = given;
  const fileSystem = localCopies
    ? passThrough(naming, {
        copies: localCopies,
        log: given.log,
        versionOf: (id) => (isTreeNumber(id) ? publishedVersion(nodes.get(id)) : undefined),
      })
    : naming;
  return {
    fileSystem,
    passesThrough: localCopies !== undefined,
    askAhead: () => {
      const isShown = selection.trees?.includes('projects') ?? true;
      if (isShown && begin === undefined) catalogs.projects.askAhead();
    },
    recover: async () => {
      await recover();
      await resumeUploads();
      tree.edits?.begin(editsTold(tree));
      await annexes.tidy();
      dueTrash?.begin();
    },
    idle,
    flush: (path, signal) => flush(top.inTree(path), signal),
    retryKept,
    dropKept,
    nameRefused: ({ op, parent, name }, error) =>
      tree.recordError({ op, path: join(pathOf(nodes.get(parent)), name) }, error),
    failures: () => errors.list(),
    failureAt: (path) => shownFailure(errors.lastAt(top.inTree(path)), top),
    unwritableAt: (path) => (options.readOnly ? undefined : unwritableAt(tree, top.inTree(path))),
    hiddenAt: (path) => top.gone() ?? unselectedAt(selection, top.inTree(path)),
    pathOfNode: (node) => top.shown(subjectOf('getattr', [node], paths)),
    shownPath: (path) => top.shown(path),
    pathInTree: (path) => top.inTree(path),
    contentsAt: (path, options) => below((...at) => contentsAt(tree, ...at), top, path, options),
    pinsAt: (path, options) => below((...at) => pinsAt(tree, ...at), top, path, options),
    placeAt: (path, signal) => placeAt({ tree, details }, top.inTree(path), signal),
    learnAnnotations: (files) => {
      annexes.changed();
      return learnAnnotations(tree, files);
    },
    trashPlaceAt: async (path, signal) => {
      const place = await trashPlaceAt({ tree, details }, top.inTree(path), signal);
      return { ...place, at: top.shown(place.at) };
    },
    lookAgainAt: (path) => lookAgainAt(tree, path),
    allowDeletions: (asked, forMs) =>
      tree.deletions.allow('path' in asked ? { path: top.inTree(asked.path) } : asked, forMs),
    learnEntries: (changes) => {
      annexes.changed();
      learnEntries(tree, changes);
    },
    learnItems: (items) => learnItems({ tree, details }, items),
    refreshAt: (path, signal) => {
      annexes.changed();
      return refreshAt({ tree, details }, top.inTree(path), signal);
    },
    learnTasks: (records) => tasks.learn(records),
    close: () => {
      dueTrash?.close();
      tasks.close();
      return folderState.flush().catch((error: unknown) => {
        // A failure here must not keep the rest of the mount from ending.
        given.log.error({ err: error }, 'mode and time of folders could not be kept');
      });
    },
  };
}

function shownFailure(failure: Failure | undefined, top: MountTop): Failure | undefined {
  if (failure === undefined) return undefined;
  const { path, target, ...rest } = failure;
  return { ...rest, path: top.shown(path), target: target && top.shown(target) };
}

/** What is below a path of the mount, told by such paths. */
async function* below<T extends { readonly path: string }>(
  find: (path: string, options: ContentsOptions) => AsyncIterable<T>,
  top: MountTop,
  path: string,
  { signal, onFailure, onLeftOut }: ContentsOptions,
): AsyncGenerator<T> {
  const found = find(top.inTree(path), {
    signal,
    onFailure: (failed, error) => onFailure(top.shown(failed), error),
    onLeftOut: (left, what) => onLeftOut?.(top.shown(left), what),
  });
  for await (const each of found) yield { ...each, path: top.shown(each.path) };
}

function publishedVersion(node: Node): ContentVersion | undefined {
  const isOfPlatform = node.kind === 'project-file' || node.kind === 'volume-object';
  return isOfPlatform ? versionOf(node) : undefined;
}

function defaults(): TreeOptions {
  const mounter = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return {
    metadataTtlMs: MINUTE_MS,
    readOnly: false,
    ...mounter,
    mounter,
    owner: 'mounter',
    unkept: 'ignore',
    aliasWrite: 'refuse',
    deletes: true,
    overwrites: true,
    allowOther: false,
    umask: 0o022,
    renameWaitMs: undefined,
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
  };
}
