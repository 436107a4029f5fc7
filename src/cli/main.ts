#!/usr/bin/env node
/** Loads the rest in a way that can fail in one line: hundreds of modules are opened at a time. */

const TOO_MANY = ['EMFILE', 'ENFILE'];

try {
  const [, , command, kind] = process.argv;
  // A shell asks this at each TAB, and a user waits: nothing else is loaded.
  if (command === 'complete') await (await import('./complete/known-names.ts')).printKnownNames(kind);
  else await (await import('./run.ts')).run();
} catch (error) {
  if (!(error instanceof Error && 'code' in error && TOO_MANY.includes(String(error.code)))) throw error;
  console.error('svcfs: too few files may be open at a time to start: raise the limit with ulimit -n 1024');
  process.exitCode = 1;
}
