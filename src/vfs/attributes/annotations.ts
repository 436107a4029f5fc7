import type { Annotations } from '../../content/ports.ts';
import { LINK_PAIR } from '../../jobs/symbolic-link.ts';
import { userPairs } from '../../metadata/own-pairs.ts';
import type { ProjectFileNode } from '../model/node.ts';
import { localFacts } from './local-facts.ts';
import { fits, withinLimit } from './pairs-that-fit.ts';
import { readReservedPairs, reservedPairs } from './reserved-pairs.ts';

/** The standard pair that describes the content itself. */
const MD5_SUM = 'md5_sum';

/** The metadata of a file that its new content keeps. */
export function keptMetadata({ record }: ProjectFileNode): Record<string, string> {
  return withoutContentPairs(record?.metadata ?? {});
}

/** All but what describes the content. */
export function withoutContentPairs(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const { [MD5_SUM]: _, ...others } = metadata;
  return others;
}

/**
 * The annotations that a file gets together with its next content: the metadata, tags, mode and owner of the file it
 * replaces, and later changes. The platform makes a new file, which has none of them. The old content's time and MD5 are
 * not carried over.
 */
export function annotationsFor(node: ProjectFileNode): Annotations | undefined {
  const metadata = withinLimit(allPairs(node));
  const tags = node.pending?.tags ?? (node.record?.tags.length ? node.record.tags : undefined);
  return Object.keys(metadata).length === 0 && !tags ? undefined : { metadata, tags };
}

/** Whether some of our own are left out of that. */
export function lacksRoom(node: ProjectFileNode): boolean {
  return !fits(allPairs(node));
}

function allPairs(node: ProjectFileNode): Readonly<Record<string, string>> {
  const before = keptMetadata(node);
  const { mode, owner } = readReservedPairs(before);
  return {
    ...userPairs(before),
    ...node.pending?.metadata,
    ...reservedPairs({
      ...(mode !== undefined && { mode }),
      ...(owner !== undefined && { owner }),
      ...localFacts(node),
    }),
  };
}

/** All pairs that a file is to have, those of our own that are to be sent included. */
export function pairsToBe(node: ProjectFileNode): Readonly<Record<string, string>> {
  const isNext = node.record === undefined || isAhead(node);
  if (isNext) return annotationsFor(node)?.metadata ?? {};
  return { ...node.record?.metadata, ...reservedPairs(localFacts(node)) };
}

/** Sets again on a file the annotations that an ended mount left unpublished with its content. */
export function restoreAnnotations(node: ProjectFileNode, annotations: Annotations | undefined): void {
  if (annotations === undefined) return;
  const { metadata, tags } = annotations;
  const { mode, mtimeNs, owner } = readReservedPairs(metadata);
  node.pending = { metadata: { ...userPairs(metadata), ...linkPair(metadata) }, tags };
  node.mode = mode;
  node.mtimeNs = mtimeNs;
  node.owner = owner;
}

/** A link whose publication was interrupted is to be a link all the same. */
function linkPair({ [LINK_PAIR]: pair }: Readonly<Record<string, string>>): Record<string, string> {
  return pair === undefined ? {} : { [LINK_PAIR]: pair };
}

/**
 * The file has content here that the platform does not have yet: other bytes, or none any more. Or it has, as another
 * file than that of the record: the publication has not yet taken that on.
 */
export function isAhead({ draft, record }: ProjectFileNode): boolean {
  if (draft === undefined) return false;
  const { dirty, sizeBytes, publishedFileId = record?.id } = draft;
  return dirty || sizeBytes !== record?.sizeBytes || publishedFileId !== record.id;
}
