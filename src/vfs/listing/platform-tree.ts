import type { Priority } from '../../api/call-options.ts';
import type { EntryRecord, FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { ObjectState } from '../../content/ports.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import { attributesOf } from '../attributes/attributes-of.ts';
import type { Details } from '../directories/details.ts';
import { Directories } from '../directories/directories.ts';
import { listedEntry } from '../directories/project-folder.ts';
import { errnoOf, isAbort, isKnownError } from '../errors/errno-of.ts';
import type { ErrorRegistry } from '../errors/error-registry.ts';
import { type FailedOperation, failureOf } from '../errors/failure-of.ts';
import { FsError, PinnedChange } from '../errors/fs-error.ts';
import type { AttributesReply, Awaitable, Entry } from '../file-system.ts';
import type { Beliefs } from '../model/beliefs.ts';
import { Deletions } from '../model/deletions.ts';
import { ANNEX, nameOnPlatform } from '../model/escape.ts';
import { lacksSize } from '../model/identity.ts';
import type { KernelLink } from '../model/kernel-link.ts';
import type {
  AliasNode,
  DirectoryNode,
  FolderNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
  VirtualDirectoryNode,
  VirtualSource,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from '../model/node.ts';
import { existsNow, isAlias, isDirectory, isPinned, pathOf } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import type { NodeTable } from '../model/node-table.ts';
import { changeOfObject, type Pin } from '../model/pin.ts';
import type { Revalidating, Tree, TreeOptions, TreeParts } from '../model/tree.ts';
import { BackgroundRefresh } from './background-refresh.ts';
import { isComplete, nodeTtlLeft, wasChecked, wasComplete } from './freshness.ts';
import { GoneDirectories, moveOver } from './gone-directories.ts';
import { Listing } from './listing.ts';
import { Listings } from './listings.ts';
import { Lookups } from './lookups.ts';
import { Placement } from './placement.ts';
import { prune } from './prune.ts';
import { Revalidation } from './revalidation.ts';
import { FRESH_MS } from './revalidation-plan.ts';
import { WalkAhead } from './walk-ahead.ts';

/** The parts that the tree and what hangs in it are both made of. */
export interface PlatformTreeParts extends TreeParts {
  readonly nodes: NodeTable;
  readonly make: NodeMaker;
  readonly kernel: KernelLink;
  readonly errors: ErrorRegistry;
  readonly details: Details;
  readonly beliefs: Beliefs;
  /** The entries at the top of the mount. */
  readonly root: VirtualSource;
  /** Default: as `Listings` has it. */
  readonly mostEntries?: number;
}

/** The tree over the platform: puts listings, lookups, placement and attributes together behind one interface. */
export class PlatformTree implements Tree {
  readonly api: TreeParts['api'];
  readonly reader: TreeParts['reader'];
  readonly writer: TreeParts['writer'];
  readonly jobs: TreeParts['jobs'];
  readonly edits: TreeParts['edits'];
  readonly clock: TreeParts['clock'];
  readonly log: TreeParts['log'];
  readonly folderState: TreeParts['folderState'];
  readonly unkept: TreeParts['unkept'];
  readonly deletions: Deletions;
  readonly options: TreeOptions;
  readonly nodes: NodeTable;
  readonly kernel: KernelLink;
  readonly errors: ErrorRegistry;
  readonly root: VirtualDirectoryNode;
  readonly listings: Listings;
  readonly #make: NodeMaker;
  readonly #beliefs: Beliefs;
  readonly #placement: Placement;
  readonly #lookups: Lookups;
  readonly #revalidation: Revalidation;
  readonly #walkAhead: WalkAhead;
  readonly #backgroundRefresh: BackgroundRefresh;
  readonly #mountedMs: number;
  #top: DirectoryNode;

  constructor(parts: PlatformTreeParts) {
    const { api, clock, nodes, make, kernel } = parts;
    this.api = api;
    this.reader = parts.reader;
    this.writer = parts.writer;
    this.jobs = parts.jobs;
    this.edits = parts.edits;
    this.clock = clock;
    this.log = parts.log;
    this.folderState = parts.folderState;
    this.unkept = parts.unkept;
    this.options = parts.options;
    this.deletions = new Deletions({ limit: parts.options.confirmDelete, clock });
    this.nodes = nodes;
    this.kernel = kernel;
    this.errors = parts.errors;
    this.root = make.virtualDirectory({ parent: undefined, name: '' }, parts.root);
    this.#top = this.root;
    this.#make = make;
    this.#beliefs = parts.beliefs;
    this.#mountedMs = clock.now();
    const placement = new Placement({ nodes, make, kernel, clock, folderState: parts.folderState });
    const directories = new Directories(api, parts.details, this.options);
    const gone = new GoneDirectories({
      api,
      placement,
      onGone: (path, error) => this.recordError({ op: 'readdir', path }, error),
    });
    const { beliefs } = parts;
    const shared = { directories, placement, gone, beliefs, clock, ttlMs: this.options.metadataTtlMs };
    this.#placement = placement;
    this.listings = new Listings({
      ...shared,
      onComplete: (directory) => this.#completed(directory),
      onGrowth: () => prune(this.nodes, this.#placement),
      ...(parts.mostEntries === undefined ? {} : { mostEntries: parts.mostEntries }),
      onUnusable: (directory, reason) => this.#leftOut(directory, reason),
    });
    this.#walkAhead = new WalkAhead({
      api,
      clock,
      listings: this.listings,
      isComplete: (directory) => this.isComplete(directory),
    });
    this.#backgroundRefresh = new BackgroundRefresh({ ...shared, api, listings: this.listings });
    this.#lookups = new Lookups({ ...shared, api, listings: this.listings });
    this.#revalidation = new Revalidation({ api, placement, clock, beliefs, showing: this.options });
  }

  /** The kernel's root: the top of the tree, unless a mount begins deeper. */
  get top(): DirectoryNode {
    return this.#top;
  }

  /** Begins the mount at a directory of the tree. To be called before the kernel asks. */
  beginAt(directory: DirectoryNode): void {
    this.#top = directory;
    this.nodes.setTop(directory);
    this.kernel.setTop(directory.id);
  }

  attributesOf(node: Node): AttributesReply {
    const attributes = attributesOf(node, { options: this.options, mountedMs: this.#mountedMs });
    return { attributes, ttlMs: lacksDetails(node) ? 0 : this.#ttlLeft(node) };
  }

  entryOf(node: Node): Entry {
    const { attributes, ttlMs } = this.attributesOf(node);
    return { node: node.id, attributes, entryTtlMs: this.#ttlLeft(node), attributesTtlMs: ttlMs };
  }

  /** How long the absence of a name still counts. */
  absenceTtl(directory: DirectoryNode, name: string): number {
    const known = this.#lookups.known(directory, name);
    return known && !known.node ? known.ttlLeftMs : 0;
  }

  childOf(directory: DirectoryNode, name: string, signal: AbortSignal): Awaitable<Node | undefined> {
    return this.#lookups.childOf(this.#holderOf(directory, name), name, signal);
  }

  /** As `childOf`, for a program that only looks: what has expired is believed while the rate limit is spent. */
  childToShow(directory: DirectoryNode, name: string, signal: AbortSignal): Awaitable<Node | undefined> {
    return this.#lookups.childToShow(this.#holderOf(directory, name), name, signal);
  }

  freshChildOf(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Node | undefined> {
    return this.#lookups.freshChildOf(directory, name, signal);
  }

  /** As `attributesOf`, asked for anew when what is known no longer counts, and is not believed either. */
  currentAttributesOf(node: Node, signal: AbortSignal): Awaitable<AttributesReply> {
    const isKnown =
      !lacksSize(node) && (this.#ttlLeft(node) > 0 || (wasChecked(node) && this.#beliefs.believes()));
    if (isKnown) return this.attributesOf(node);
    return this.#refreshed(node, signal);
  }

  childrenOf(directory: DirectoryNode, signal: AbortSignal, priority?: Priority): Promise<readonly Node[]> {
    return this.listings.all(directory, signal, priority);
  }

  /** Whether all names of the directory are known and still count. */
  isComplete(directory: DirectoryNode): boolean {
    return isComplete(directory, { nowMs: this.clock.elapsed(), ttlMs: this.options.metadataTtlMs });
  }

  /**
   * Close-to-open for directories: one that is opened is there, by facts at most a second old. The question is the first
   * page of its names, which is held for the caller; undefined: nothing had to be asked. Throws ESTALE where another
   * directory has the name; where none has it, reading the names fails so.
   */
  confirm(directory: DirectoryNode, signal: AbortSignal): Awaitable<Listing | undefined> {
    const isFresh = this.clock.elapsed() - directory.checkedMs <= FRESH_MS;
    if (directory === this.root || isFresh || this.isComplete(directory)) return undefined;
    if (wasComplete(directory) && this.#beliefs.believes()) return undefined;
    return this.#confirm(directory, signal);
  }

  /** A program begins to read the names of `directory`. */
  opened(directory: DirectoryNode): void {
    this.#walkAhead.opened(directory);
    this.#backgroundRefresh.opened(directory);
  }

  /** Ends what goes on in the background. */
  close(): void {
    this.#backgroundRefresh.close();
  }

  expire(directory: DirectoryNode): void {
    directory.children.expire();
  }

  revalidate(node: Node, signal: AbortSignal, how?: Revalidating): Awaitable<void> {
    return this.#revalidation.revalidate(node, signal, how);
  }

  learnObject(node: AliasNode, object: ObjectState): void {
    if (isPinned(node)) {
      this.#learnPinnedObject(node, object);
      return;
    }
    this.#placement.learnObject(node, object);
    if (node.object !== object) throw new FsError('ESTALE', `${node.name} has another content now`);
  }

  doubt(node: Node): void {
    node.checkedMs = Number.NEGATIVE_INFINITY;
    if (node.parent) this.kernel.invalidateEntry(node.parent.id, node.name);
  }

  newFile(parent: ProjectFolderNode, name: string): ProjectFileNode {
    return this.#make.projectFile({ parent, name }, parent.project, { record: undefined, link: undefined });
  }

  newObject(parent: VolumeDirectoryNode, name: string): VolumeObjectNode {
    const object = { location: parent.prefix + nameOnPlatform(name), record: undefined };
    return this.#make.volumeObject({ parent, name }, parent.volume, object);
  }

  newSpecialFile(
    parent: FolderNode,
    name: string,
    made: Pick<SpecialFileNode, 'type' | 'mode'>,
  ): SpecialFileNode {
    return this.#make.specialFile({ parent, name }, { ...made, madeMs: this.clock.now() });
  }

  newVolumeDirectory(parent: VolumeDirectoryNode, name: string): VolumeDirectoryNode {
    const level = { prefix: `${parent.prefix}${nameOnPlatform(name)}/`, local: true };
    const directory = this.#make.volumeDirectory({ parent, name }, parent.volume, level);
    directory.children.startEmpty(this.clock.elapsed());
    return directory;
  }

  placed(node: Node): void {
    this.#placement.place(node);
  }

  passOn(node: ProjectFileNode): void {
    this.#make.passOn(node);
  }

  placedRecord(parent: ProjectFolderNode, record: EntryRecord, options?: { readonly empty?: boolean }): Node {
    const node = this.#placement.placeListed(parent, listedEntry(record, this.options));
    if (options?.empty === true && node.kind === 'project-folder')
      node.children.startEmpty(this.clock.elapsed());
    return node;
  }

  published(node: ProjectFileNode, record: FileRecord): void;
  published(node: VolumeObjectNode, record: VolumeObjectRecord): void;
  published(node: ProjectFileNode | VolumeObjectNode, record: FileRecord | VolumeObjectRecord): void {
    if (node.kind === 'project-file' && 'id' in record) {
      node.record = record;
      node.pending = undefined;
      if (!isAlias(node)) node.object = undefined;
    } else if (node.kind === 'volume-object' && !('id' in record)) {
      node.record = record;
      node.sizeIsOld = false;
      existsNow(node.parent);
    }
    if (node.parent) this.#placement.place(node);
  }

  moved(node: Node, to: { readonly parent: DirectoryNode; readonly name: string }): void {
    this.#placement.move(node, to);
  }

  detach(node: Node): void {
    this.#placement.detach(node);
  }

  gone(directory: DirectoryNode, name: string): void {
    this.#placement.remove(directory, name);
    this.kernel.invalidateEntry(directory.id, name);
  }

  invalidate(directory: DirectoryNode, name: string): void {
    const known = directory.children.get(name);
    if (known?.kind === 'present') this.#placement.lose(known.node);
    else directory.children.forget(name);
    this.kernel.invalidateEntry(directory.id, name);
  }

  renew(folder: FolderNode): void {
    const { parent, name } = folder;
    if (!parent) return;
    this.#placement.renew(folder);
    this.kernel.invalidateEntry(parent.id, name);
  }

  recordError(failure: FailedOperation, error: unknown): void {
    const record = failureOf(failure, error, this.clock.now());
    this.errors.record(record);
    const { op, path, errno, requestId, text: reason } = record;
    const fields = { op, path, errno, requestId, reason };
    // An unforeseen error is ours to mend: it is logged with its stack. Of the rest a person needs the reason only.
    if (isKnownError(error) || isAbort(error)) this.log.warn(fields, 'operation failed');
    else this.log.error({ ...fields, err: error }, 'operation failed unexpectedly');
  }

  #learnPinnedObject(node: AliasNode & { readonly pin: Pin }, object: ObjectState): void {
    node.pin.change = changeOfObject(node.pin.file, object);
    if (node.pin.change !== undefined) throw new PinnedChange(node.pin.change);
    node.object = object;
  }

  /** The directory that has the name: `.svcfs` is at the top of the mount, wherever that is. */
  #holderOf(directory: DirectoryNode, name: string): DirectoryNode {
    return name === ANNEX && directory === this.#top ? this.root : directory;
  }

  #completed(directory: DirectoryNode): void {
    prune(this.nodes, this.#placement);
    this.#walkAhead.completed(directory);
  }

  #leftOut(directory: DirectoryNode, reason: string): void {
    const text = `entries that are not as the API describes them are not shown: ${reason}`;
    this.recordError({ op: 'readdir', path: pathOf(directory) }, new FsError('EIO', text));
  }

  async #confirm(directory: DirectoryNode, signal: AbortSignal): Promise<Listing> {
    const { parent, name } = directory;
    await untilAborted(moveOver(directory) ?? Promise.resolve(), signal);
    try {
      return await this.listings.confirm(directory, signal);
    } catch (error) {
      if (errnoOf(error) !== 'ESTALE' || !parent) throw error;
      // The kernel finds the directory that has the name now.
      const next = await this.childOf(parent, name, signal);
      if (next && isDirectory(next)) throw error;
      // To find nothing there would be ENOENT: rsync takes that for removed, and empties its copy.
      return Listing.failed(directory, error).hold();
    }
  }

  async #refreshed(node: Node, signal: AbortSignal): Promise<AttributesReply> {
    try {
      await this.#revalidation.refresh(node, signal);
    } catch (error) {
      // Another file has the name now. A handle on this one sees it as it was.
      if (errnoOf(error) !== 'ESTALE') throw error;
    }
    return this.attributesOf(node);
  }

  #ttlLeft(node: Node): number {
    return nodeTtlLeft(node, { nowMs: this.clock.elapsed(), ttlMs: this.options.metadataTtlMs });
  }
}

/** Nothing inside was asked for yet: whether it can be written to is not known. */
function lacksDetails(node: Node): boolean {
  if (node.kind === 'project-folder') return node.project.record === undefined;
  return node.kind === 'volume-directory' && node.volume.record === undefined;
}
