import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';
import { LINK_PAIR } from '../../../jobs/symbolic-link.ts';
import { withoutContentPairs } from '../../attributes/annotations.ts';
import { userPairs } from '../../attributes/reserved-pairs.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

export const NOTHING: Annotations = { metadata: {}, tags: undefined };

/** The metadata and tags of a file. */
export interface Described {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
}

/** What the name of `target` has on the platform (`record`), and what was set on it here and not sent yet. */
export function describedAs({ pending }: ProjectFileNode, record: FileRecord | undefined): Described {
  return {
    metadata: { ...record?.metadata, ...pending?.metadata },
    tags: pending?.tags ?? record?.tags ?? [],
  };
}

/**
 * What a file inherits of one whose name it takes. Editors, `sed -i` and `rsync` write a new file and rename it over
 * the old: without this the file would lose its metadata at every edit. What the new one has of its own comes first, and
 * what describes the old content is not of it.
 */
export function carriedOver(from: Described, to: Described): Annotations {
  // A link is no version of a file, and tells nothing of one.
  if (isOfLink(from) || isOfLink(to)) return NOTHING;
  const metadata = Object.fromEntries(
    Object.entries(withoutContentPairs(userPairs(from.metadata))).filter(
      ([key]) => !Object.hasOwn(to.metadata, key),
    ),
  );
  const tags = to.tags.length === 0 && from.tags.length > 0 ? from.tags : undefined;
  return { metadata, tags };
}

function isOfLink({ metadata }: Described): boolean {
  return Object.hasOwn(metadata, LINK_PAIR);
}

export function isNothing({ metadata, tags }: Annotations): boolean {
  return Object.keys(metadata).length === 0 && !tags;
}

/** Gives a file what it inherits. */
export async function inherit(
  { api }: Tree,
  file: FileRecord,
  { metadata, tags }: Annotations,
): Promise<FileRecord> {
  if (isNothing({ metadata, tags })) return file;
  return api.files.edit(file.id, { metadata, ...(tags && { tags }) });
}
