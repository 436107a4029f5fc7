#!/usr/bin/env node
/** Loads the rest in a way that can fail in one line: hundreds of modules are opened at a time. */

const TOO_MANY = ['EMFILE', 'ENFILE'];

try {
  const { run } = await import('./run.ts');
  await run();
} catch (error) {
  if (!(error instanceof Error && 'code' in error && TOO_MANY.includes(String(error.code)))) throw error;
  console.error('svcfs: too few files may be open at a time to start: raise the limit with ulimit -n 1024');
  process.exitCode = 1;
}
