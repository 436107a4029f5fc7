/**
 * `node --import ./test/support/run-typescript.mjs file.ts`: lets a child process of a test run the sources as they are,
 * without a build. Types are erased; nothing is checked. This file is the registration and the loader itself.
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// Node runs loaders on a thread of their own, where this module is imported again.
if (isMainThread) register(import.meta.url);

/** The `load` hook of node:module. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { default: typescript } = await import('typescript');
  const { outputText } = typescript.transpileModule(await readFile(fileURLToPath(url), 'utf8'), {
    fileName: url,
    compilerOptions: { target: 'es2023', module: 'esnext', inlineSourceMap: true, verbatimModuleSyntax: true },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
}
