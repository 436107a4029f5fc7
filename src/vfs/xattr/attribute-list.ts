import type { Pairs } from './limits.ts';
import { metadataPages } from './metadata-document.ts';
import { METADATA, metadataPageName, pairName } from './names.ts';

/** XATTR_LIST_MAX of Linux: names with their terminating NULs. */
const LIST_MAX = 65_536;
/** XATTR_NAME_MAX. */
const NAME_MAX = 255;

/**
 * The names of a file's attributes: `first`, and one for each pair. A list longer than the kernel takes would be
 * refused whole, and programs would then copy no attribute at all. When some pairs must be left out, the document of
 * all pairs is listed with the others, so that a copy still has everything.
 */
export function attributeList(
  first: readonly string[],
  pairs: Pairs,
): { readonly names: readonly string[]; readonly left: number } {
  const each = Object.keys(pairs).map(pairName);
  const all = longestList(first, each);
  if (all.left === 0) return all;
  const pages = metadataPages(pairs).length;
  const documents = Array.from({ length: pages }, (_, page) => metadataPageName(page));
  return longestList([...first, ...(pages === 1 ? [METADATA] : documents)], each);
}

function longestList(
  first: readonly string[],
  others: readonly string[],
): { names: readonly string[]; left: number } {
  const names = [...first];
  let bytes = first.reduce((sum, name) => sum + sizeOf(name), 0);
  let left = 0;
  for (const name of others) {
    const size = sizeOf(name);
    if (size > NAME_MAX + 1 || name.includes('\0') || bytes + size > LIST_MAX) {
      left++;
    } else {
      names.push(name);
      bytes += size;
    }
  }
  return { names, left };
}

function sizeOf(name: string): number {
  return Buffer.byteLength(name) + 1;
}
