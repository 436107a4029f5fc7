import type { Contents } from '../../open/contents.ts';
import type { Tree } from '../../tree.ts';
import type { Asides } from '../asides.ts';
import type { AttributeWriter } from '../attribute-writer.ts';
import type { DraftAsides } from '../draft-asides.ts';

/** What renames are done with; each takes what it needs. */
export interface RenameParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
  readonly draftAsides: DraftAsides;
  readonly attributes: AttributeWriter;
}
