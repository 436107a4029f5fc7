/** XATTR_LIST_MAX of Linux: names with their terminating NULs. */
const LIST_MAX = 65_536;
/** XATTR_NAME_MAX. */
const NAME_MAX = 255;

/**
 * As many names as a list may hold: all of `first`, then of `others` what fits. A list too long would be refused
 * whole by the kernel, and programs then copy no attribute at all.
 */
export function fitNames(
  first: readonly string[],
  others: readonly string[],
): { readonly fitting: readonly string[]; readonly left: number } {
  const fitting = [...first];
  let bytes = first.reduce((sum, name) => sum + sizeOf(name), 0);
  let left = 0;
  for (const name of others) {
    const size = sizeOf(name);
    if (size > NAME_MAX + 1 || name.includes('\0') || bytes + size > LIST_MAX) {
      left++;
    } else {
      fitting.push(name);
      bytes += size;
    }
  }
  return { fitting, left };
}

function sizeOf(name: string): number {
  return Buffer.byteLength(name) + 1;
}
