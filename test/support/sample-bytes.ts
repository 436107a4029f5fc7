/** Bytes without a period, the same for the same seed, made quickly. */
export function sampleBytes(sizeBytes: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = seed;
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[at] = state;
  }
  return Buffer.from(words.buffer, 0, sizeBytes);
}
