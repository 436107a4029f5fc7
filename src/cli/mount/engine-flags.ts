/**
 * Flags of the JS engine for the process of a mount (V8's flag-definitions.h). The work that matters most runs for the
 * first time: the first listing, the first gibibyte. So compiling must gain much for its cost. The collector must not run
 * while the heap only grows to its size.
 *
 * A first `ls -l` of 10,000 on a new mount cost 0.39 CPU s, nearly half of it for the optimizing compiler's threads. With
 * these flags it costs 0.22. Code that stays hot is optimized all the same, later.
 */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  // Node 20. Later engines have a compiler between the two and other flags; they choose for themselves.
  '11': [
    // Machine code without optimizing is made on the first call.
    '--always-sparkplug',
    // Bytes of bytecode that a function runs through before it is optimized: 16 times the default.
    '--interrupt-budget=1081344',
    // MiB. No more than it begins with: 16 reads no faster, and takes up to 12 MiB more.
    '--min-semi-space-size=8',
    '--max-semi-space-size=8',
    '--initial-old-space-size=48',
    // Of what is in use, and no more: by itself it lets the old heap grow to four times that, which a small budget has not.
    '--heap-growing-percent=100',
  ],
};

/** For the engine of this version (`process.versions.v8`); an engine that does not know a flag would not start. */
export function engineFlags(version: string): readonly string[] {
  return FLAGS[version.split('.')[0] ?? ''] ?? [];
}
