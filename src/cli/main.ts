#!/usr/bin/env node
/** Loads the rest in a way that can fail in one line. */

import { readFileSync } from 'node:fs';

const TOO_MANY = ['EMFILE', 'ENFILE'];

/** With fewer a program may end anywhere: as a module is loaded, or in the middle of its work. */
const LEAST_OPEN_FILES = 256;

/** The limit of open files, where the system tells it: proc_pid_limits(5). */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

try {
  if (openFilesLimit() < LEAST_OPEN_FILES) throw Object.assign(new Error('a low limit'), { code: 'EMFILE' });
  const [, , command, kind] = process.argv;
  // A shell asks this at each TAB, and a user waits: nothing else is loaded.
  if (command === 'complete') await (await import('./complete/known-names.ts')).printKnownNames(kind);
  else await (await import('./run.ts')).run();
} catch (error) {
  if (!(error instanceof Error && 'code' in error && TOO_MANY.includes(String(error.code)))) throw error;
  console.error('svcfs: too few files may be open at a time to start: raise the limit with ulimit -n 1024');
  process.exitCode = 1;
}
