/** 32 bits of a text's UTF-16 code units: MurmurHash3 (x86, 32 bits; Austin Appleby). Not against who wants a collision. */
export function textHash(text: string, seed: number): number {
  let hash = seed;
  const pairs = text.length & ~1;
  for (let at = 0; at < pairs; at += 2) {
    hash ^= mixed(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  if (pairs < text.length) hash ^= mixed(text.charCodeAt(pairs));
  hash ^= text.length * 2;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
