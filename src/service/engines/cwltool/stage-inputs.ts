/**
 * Puts the inputs of a task where cwltool finds them. Files are numbered on the disk, and named in the job order alone
 * (`basename`), so that no name can lead out of the directory. They are copies: a tool may write to its inputs, and must
 * not reach the content that the service keeps. File systems that can share blocks between files copy nothing.
 */
import { constants, createWriteStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { TaskValues } from '../../../contract/task.ts';
import { isInputEntry } from '../input-entry.ts';
import type { InputEntry, InputFile } from '../task-engine.ts';

/** The job order: the inputs with every file as an object of CWL. */
export async function stageInputs(
  inputs: TaskValues,
  { directory, signal }: { readonly directory: string; readonly signal: AbortSignal },
): Promise<TaskValues> {
  await mkdir(directory);
  let count = 0;
  const stage = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return eachOf(value, stage);
    if (typeof value !== 'object' || value === null) return value;
    if (isInputEntry(value)) return stageEntry(value);
    const staged: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) staged.push([key, await stage(inner)]);
    return Object.fromEntries(staged);
  };
  const stageEntry = async (entry: InputEntry): Promise<unknown> => {
    signal.throwIfAborted();
    if (entry.class === 'Directory') {
      return { class: 'Directory', basename: entry.name, listing: await eachOf(entry.listing, stageEntry) };
    }
    const path = join(directory, String(count++));
    await copyContent(entry, path, signal);
    return {
      class: 'File',
      location: pathToFileURL(path).href,
      basename: entry.name,
      metadata: entry.metadata,
      ...(entry.secondaryFiles.length === 0
        ? {}
        : { secondaryFiles: await eachOf(entry.secondaryFiles, stageEntry) }),
    };
  };
  return (await stage(inputs)) as TaskValues;
}

/** One after the other: a disk gains nothing from more. */
async function eachOf<Value>(
  values: readonly Value[],
  stage: (value: Value) => Promise<unknown>,
): Promise<unknown[]> {
  const staged: unknown[] = [];
  for (const value of values) staged.push(await stage(value));
  return staged;
}

async function copyContent(file: InputFile, path: string, signal: AbortSignal): Promise<void> {
  const content = await file.open();
  const { localPath } = content;
  if (localPath !== undefined && (await shareBlocks(localPath, path))) return content.close();
  await pipeline(content.stream(), createWriteStream(path), { signal });
}

async function shareBlocks(from: string, to: string): Promise<boolean> {
  return copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
}
