/**
 * `node --import ./test/support/run-typescript.mjs file.ts`: lets a child process of a test run the sources as they are,
 * without a build. Types are erased; nothing is checked. This file is the registration and the loader itself.
 *
 * Compiled files are kept under node_modules/.cache by the hash of their source: loading the compiler takes longer than
 * most tests.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread, threadId } from 'node:worker_threads';

const CACHE = new URL('../../node_modules/.cache/run-typescript/', import.meta.url);

// Node runs loaders on a thread of their own, where this module is imported again.
if (isMainThread) register(import.meta.url);

/** The `load` hook of node:module. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const cached = new URL(`${createHash('sha256').update(url).update(source).digest('hex')}.mjs`, CACHE);
  const text = await readFile(cached, 'utf8').catch(() => transpileInto(cached, url, source));
  return { format: 'module', source: text, shortCircuit: true };
}

async function transpileInto(cached, url, source) {
  const { default: typescript } = await import('typescript');
  const { outputText } = typescript.transpileModule(source, {
    fileName: url,
    compilerOptions: { target: 'es2023', module: 'esnext', inlineSourceMap: true, verbatimModuleSyntax: true },
  });
  await mkdir(CACHE, { recursive: true });
  // Written aside and moved: another child may read it at this moment.
  const aside = new URL(`${cached.href}.${process.pid}.${threadId}`);
  await writeFile(aside, outputText);
  await rename(aside, cached);
  return outputText;
}
