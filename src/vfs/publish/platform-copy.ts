/** Drafts that the platform copies by itself: the source, whether the platform can copy it, and the copy. */
import type { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import { sameVersion } from '../../content/content-version.ts';
import type { Annotations, Draft } from '../../content/ports.ts';
import { TransferRefused } from '../../jobs/job-error.ts';
import type { TransferOutcome, TransferTarget } from '../../jobs/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type { CopyOrigin, FileContent } from '../model/file-content.ts';
import { pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { mayReplace } from './conflicts.ts';
import type { Targets } from './targets.ts';

/** The platform's code for a file name that is taken. */
const NAME_TAKEN = 5003;

export interface WantedCopy {
  readonly target: TransferTarget;
  /** What a copy of that file needs beside its pairs, and in the place of its tags; undefined: nothing. */
  readonly annotationsOf: (source: FileRecord) => Annotations | undefined;
}

export class PlatformCopies {
  readonly #tree: Tree;
  readonly #targets: Pick<Targets, 'takesBytes'>;

  constructor(tree: Tree, targets: Pick<Targets, 'takesBytes'>) {
    this.#tree = tree;
    this.#targets = targets;
  }

  /**
   * The platform's own copy, when the draft is one; undefined when its bytes must be sent. The copy may lack some of the
   * annotations.
   */
  async make(
    content: FileContent,
    draft: Draft,
    { target, annotationsOf }: WantedCopy,
  ): Promise<TransferOutcome | undefined> {
    const origin = originOf(content.copiedFrom, draft);
    if (!origin) return undefined;
    const { node } = content;
    const paths = { source: origin.path, target: pathOf(node) };
    const isExclusive = !mayReplace(this.#tree, content);
    // To ask for replacing costs the copy call a look at the target first.
    const overwrite = !isExclusive && (origin.source.kind !== 'file' || node.record !== undefined);
    try {
      const { source } = origin;
      const annotations = source.kind === 'file' ? annotationsOf(source.file) : undefined;
      return await this.#tree.jobs.copy({ source, target, overwrite, paths, annotations });
    } catch (error) {
      if (!needsBytes(error, isExclusive)) throw error;
      if (this.#targets.takesBytes(node)) return undefined;
      content.hopeless = true;
      throw error;
    }
  }
}

/** The platform cannot make this copy, but can take the bytes. */
function needsBytes(error: unknown, exclusive: boolean): boolean {
  if (error instanceof TransferRefused) return error.reason !== 'no-permission';
  const code = error instanceof Error && error.name === 'ApiError' ? (error as ApiError).code : undefined;
  return code === NAME_TAKEN && !exclusive;
}

function originOf(copiedFrom: CopyOrigin | undefined, draft: Draft): CopyOrigin | undefined {
  const whole = copiedFrom && draft.wholeCopyOf();
  return whole && sameVersion(whole, copiedFrom.version) ? copiedFrom : undefined;
}

export function fileOf(outcome: TransferOutcome): FileRecord {
  const entry =
    outcome.kind === 'entry' ? outcome.entry : outcome.kind === 'imported' ? outcome.files[0] : undefined;
  if (entry?.kind === 'file') return entry;
  throw new FsError('EIO', 'the platform did not say what became of the copy');
}
