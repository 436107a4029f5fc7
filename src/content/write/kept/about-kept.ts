/**
 * The facts about a file in `recovered/`: its intended place, why it did not get there, and the attributes it was to
 * have. Each lies under the same name in `recovered.about/`. Files that an older version kept have none.
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../lib/error-code.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import type { Annotations, OwedChange, UploadTarget } from '../../ports.ts';

export interface AboutKept {
  /** Of the draft. */
  readonly id: string;
  /** The path in the mount. */
  readonly label: string;
  readonly keptMs: number;
  /** Why it is not at the service, for a person. */
  readonly reason: string;
  /** A close answered that it would be uploaded. */
  readonly acknowledged: boolean;
  /** The part of the file that is missing and why, for a person; undefined: it is whole. */
  readonly missing: string | undefined;
  /** Undefined: it is not known where it was to go. */
  readonly target: UploadTarget | undefined;
  readonly annotations: Annotations | undefined;
  /** As in `AsideFile`. */
  readonly owed?: OwedChange | undefined;
}

export const KEPT_DIRECTORY = 'recovered';
const ABOUT_DIRECTORY = 'recovered.about';

/** Durable when this returns. `directory` is that of the spools. */
export async function writeAbout(directory: string, name: string, about: AboutKept): Promise<void> {
  const path = join(directory, ABOUT_DIRECTORY, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(`${dirname(path)}/.new-${about.id}`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(about)}\n`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(`${dirname(path)}/.new-${about.id}`, path);
  await syncDirectory(dirname(path));
}

/** Undefined: nothing is known of it. */
export async function readAbout(directory: string, name: string): Promise<AboutKept | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, ABOUT_DIRECTORY, name), 'utf8')) as AboutKept;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Removes a kept file, and what is known of it. */
export async function removeKept(directory: string, name: string): Promise<void> {
  await rm(join(directory, KEPT_DIRECTORY, name), { force: true });
  await syncDirectory(join(directory, KEPT_DIRECTORY));
  await forgetAbout(directory, name);
}

/** The file is not in `recovered/` any more. */
export async function forgetAbout(directory: string, name: string): Promise<void> {
  await rm(join(directory, ABOUT_DIRECTORY, name), { force: true });
}
