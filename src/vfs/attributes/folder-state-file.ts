import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nanosecondsOf, parseTime, timeText } from '../../lib/nanoseconds.ts';
import type { FolderFacts, FolderState } from '../model/folder-state.ts';
import type { Owner } from '../model/node.ts';

/** More folders than this are not remembered: the oldest facts go. */
const MAX_FOLDERS = 100_000;

/**
 * Facts of folders in one JSON file, written whole and renamed into place: what is lost in a crash is at most what
 * was set in the moment before.
 */
export async function openFolderState(path: string): Promise<FolderState> {
  return new FolderStateFile(path, await readFacts(path));
}

class FolderStateFile implements FolderState {
  readonly #path: string;
  readonly #facts: Map<string, FolderFacts>;
  #changed = false;
  #writing: Promise<void> | undefined;

  constructor(path: string, facts: Map<string, FolderFacts>) {
    this.#path = path;
    this.#facts = facts;
  }

  get(folderId: string): FolderFacts | undefined {
    return this.#facts.get(folderId);
  }

  set(folderId: string, facts: FolderFacts): void {
    const merged = { ...this.#facts.get(folderId), ...facts };
    this.#facts.delete(folderId);
    this.#facts.set(folderId, merged);
    const [oldest] = this.#facts.keys();
    if (this.#facts.size > MAX_FOLDERS && oldest !== undefined) this.#facts.delete(oldest);
    this.#write();
  }

  forgetTime(folderId: string): void {
    const facts = this.#facts.get(folderId);
    if (facts?.mtimeNs === undefined) return;
    const { mtimeNs: _, ...others } = facts;
    this.#facts.set(folderId, others);
    this.#write();
  }

  delete(folderId: string): void {
    if (this.#facts.delete(folderId)) this.#write();
  }

  async flush(): Promise<void> {
    if (this.#changed) this.#write();
    await this.#writing;
  }

  /** One write at a time; changes made meanwhile go into the next. */
  #write(): void {
    this.#changed = true;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    this.#writing.catch(() => undefined);
  }

  async #writeAll(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    while (this.#changed) {
      this.#changed = false;
      try {
        await this.#writeOnce();
      } catch (error) {
        this.#changed = true;
        throw error;
      }
    }
  }

  async #writeOnce(): Promise<void> {
    const temporary = `${this.#path}.new`;
    await writeFile(temporary, JSON.stringify(Object.fromEntries(this.#facts), timesAsText), { mode: 0o600 });
    await rename(temporary, this.#path);
  }
}

/** As JSON has them; `mtimeMs` is how earlier versions wrote the time. */
interface KeptFacts {
  readonly mode?: number;
  readonly mtimeNs?: string;
  readonly mtimeMs?: number;
  readonly owner?: Owner;
}

function timesAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? timeText(value) : value;
}

function readFactsOfOne({ mode, mtimeNs: text, mtimeMs, owner }: KeptFacts): FolderFacts {
  const mtimeNs = text === undefined ? undefined : parseTime(text);
  const oldNs = mtimeMs === undefined ? undefined : nanosecondsOf(mtimeMs);
  const time = mtimeNs ?? oldNs;
  return {
    ...(mode !== undefined && { mode }),
    ...(time !== undefined && { mtimeNs: time }),
    ...(owner !== undefined && { owner }),
  };
}

/** A file that cannot be read is as good as none: nothing depends on these facts but how folders look. */
async function readFacts(path: string): Promise<Map<string, FolderFacts>> {
  try {
    const facts: unknown = JSON.parse(await readFile(path, 'utf8'));
    const kept = Object.entries(facts as Record<string, KeptFacts>);
    return new Map(kept.map(([id, each]) => [id, readFactsOfOne(each)]));
  } catch {
    return new Map();
  }
}
