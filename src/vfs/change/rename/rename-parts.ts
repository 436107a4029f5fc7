import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';
import type { Asides } from '../aside/asides.ts';
import type { DraftAsides } from '../aside/draft-asides.ts';
import type { AttributeWriter } from '../attributes/attribute-writer.ts';
import type { Trash } from '../trash/trash.ts';

/** The objects that renames work with; each takes those that it needs. */
export interface RenameParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
  readonly trash: Trash;
  readonly draftAsides: DraftAsides;
  readonly attributes: AttributeWriter;
}
