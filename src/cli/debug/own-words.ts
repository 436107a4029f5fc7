import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAIN } from '../programs.ts';

/** The words of the program itself, in small letters: its messages are made of them, and they tell nothing of a user. */
export async function ownWords(): Promise<ReadonlySet<string>> {
  const folder = dirname(MAIN);
  const names = await readdir(folder, { recursive: true });
  const texts = await Promise.all(
    names.filter((name) => name.endsWith('.js')).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return new Set(texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase()));
}
