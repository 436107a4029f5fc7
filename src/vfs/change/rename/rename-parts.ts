import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';
import type { Asides } from '../aside/asides.ts';
import type { DraftAsides } from '../aside/draft-asides.ts';
import type { AttributeWriter } from '../attributes/attribute-writer.ts';

/** What renames are done with; each takes what it needs. */
export interface RenameParts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly asides: Asides;
  readonly draftAsides: DraftAsides;
  readonly attributes: AttributeWriter;
}
