/**
 * A draft becomes an object of a volume: by the platform's own export, by an upload into the bucket, or by an upload to staging
 * and an export from there.
 */
import type { Draft } from '../../content/ports.ts';
import { isAliasOf } from '../../jobs/is-alias-of.ts';
import type { TransferTarget } from '../../jobs/ports.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { FileContent } from '../model/file-content.ts';
import type { VolumeObjectNode } from '../model/node.ts';
import { objectTargetOf } from '../model/transfer-ends.ts';
import type { Tree } from '../model/tree.ts';
import { mayReplace, noteObjectConflict, orLost } from './conflicts.ts';
import type { PlatformCopies } from './platform-copy.ts';
import type { StagedRemovals } from './staged-removals.ts';
import { exportStaged, type Staging } from './staging.ts';
import type { Targets } from './targets.ts';

export interface ObjectPublicationParts {
  readonly tree: Tree;
  readonly staging: Staging | undefined;
  readonly targets: Targets;
  readonly copies: PlatformCopies;
  readonly removals: StagedRemovals;
}

export class ObjectPublication {
  readonly #tree: Tree;
  readonly #staging: Staging | undefined;
  readonly #targets: Targets;
  readonly #copies: PlatformCopies;
  readonly #removals: StagedRemovals;

  constructor({ tree, staging, targets, copies, removals }: ObjectPublicationParts) {
    this.#tree = tree;
    this.#staging = staging;
    this.#targets = targets;
    this.#copies = copies;
    this.#removals = removals;
  }

  async publish(content: FileContent, node: VolumeObjectNode, draft: Draft): Promise<void> {
    const target = objectTargetOf(node);
    await noteObjectConflict(this.#tree, content, node);
    await orLost(this.#tree, content, async () => {
      if (await this.#copyInStore(content, node, draft)) return;
      if (await this.#copies.make(content, draft, { target, annotationsOf: () => undefined })) return;
      if (this.#targets.isDirect(node)) await draft.publish(NEVER_ABORTED);
      else await this.#throughStaging(content, draft, target);
    });
    // The file that has the name now is ours, and later writes replace it.
    content.exclusive = false;
    const record = await this.#tree.api.volumes.object(node.volume.id, node.location);
    if (!record) throw this.#notShown(node);
    this.#tree.published(node, record);
    content.renewViews();
    // Later writes stay in the draft. Without any, reads come from the object itself from now on.
    const isAsSent = content.unpublished === 'none' && content.changes === 0;
    const done = isAsSent ? content.takeDraft() : undefined;
    // A draft that is written on may build on the staged file, which its next publication takes the place of.
    if (done === undefined) return;
    // A draft that is not discarded has the next mount remove the file, should this one end before it could.
    await this.#removals.removeOf(content, () => done.discard());
  }

  /** By the store itself, for a draft that is one whole object of the same store. */
  async #copyInStore(content: FileContent, node: VolumeObjectNode, draft: Draft): Promise<boolean> {
    const { buckets } = this.#tree.api;
    const whole = content.copiedFrom && draft.wholeCopyOf();
    if (whole?.kind !== 'object' || !buckets.canCopy(whole.volume, node.volume.id)) return false;
    const overwrite = mayReplace(this.#tree, content);
    await buckets.copy(whole, { volume: node.volume.id, location: node.location, overwrite });
    return true;
  }

  #notShown(node: VolumeObjectNode): FsError {
    const { volume, location } = node;
    const because = this.#targets.isDirect(node)
      ? 'though its bucket has it: the store of the keys is another than the volume has (endpoint in ~/.svcfs/credentials)'
      : 'after its export';
    return new FsError('EIO', `${volume.id} does not show ${location} ${because}`);
  }

  async #throughStaging(content: FileContent, draft: Draft, target: TransferTarget): Promise<void> {
    this.#targets.requireByteWrites(content);
    const staging = this.#staging;
    if (!staging) return;
    const hasArrived = !mayReplace(this.#tree, content) && (await this.#hasArrived(content, target));
    if (hasArrived) content.exclusive = false;
    const file = await draft.publish(NEVER_ABORTED);
    content.staged = file;
    const overwrite = hasArrived || mayReplace(this.#tree, content);
    await exportStaged(this.#tree.jobs, { file, staging, target, overwrite, path: content.path });
  }

  /** Whether the file that was staged before is the object: its export may have succeeded though nobody was told. */
  async #hasArrived({ staged, path }: FileContent, target: TransferTarget): Promise<boolean> {
    const { api, jobs } = this.#tree;
    if (!staged || target.kind !== 'volume') return false;
    const earlier = jobs.ofPath(path);
    if (earlier) await jobs.wait(earlier.id);
    const now = await api.files.get(staged.id).catch(unlessGone);
    return now?.kind === 'file' && isAliasOf(now, target);
  }
}

function unlessGone(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
