import { describeSize } from '../../lib/describe-size.ts';
import { printable } from '../../lib/printable.ts';
import type { AnyPlace } from '../../places/any-place.ts';
import { describePlace, nameOf } from '../../places/any-place.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type Argument, findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { entriesOf } from './entries-of.ts';

export interface ListOptions {
  readonly long: boolean;
  readonly human: boolean;
  readonly recursive: boolean;
  readonly directory: boolean;
  readonly json: boolean;
}

/** Lists entries of folders and of levels of volumes: a request for each hundred. */
export async function list(given: readonly string[], options: ListOptions, context: Context): Promise<void> {
  const paths = given.length === 0 ? ['.'] : given;
  const { platform, found } = await findArguments(paths, context);
  try {
    let failed = 0;
    const places: Extract<Argument, { readonly kind: 'place' }>[] = [];
    for (const argument of found) {
      if (argument.kind === 'place') {
        places.push(argument);
        continue;
      }
      failed += 1;
      console.error(`svcfs: ${printable(argument.given)}: ${reasonOf(argument)}`);
    }
    if (platform !== undefined) {
      const lister = new Lister(platform, options, context.signal);
      const single = places.filter(({ place }) => options.directory || !hasEntries(place));
      for (const { given: name, place } of single) lister.print(place, name);
      const heads = options.recursive || paths.length > 1;
      for (const { given: name, place } of places)
        if (!options.directory && hasEntries(place)) await lister.below(place, name, heads);
    }
    if (failed > 0) process.exitCode = EXIT_CODES.failure.code;
  } catch (error) {
    throw platform?.explain(error) ?? error;
  } finally {
    await platform?.close();
  }
}

function reasonOf(argument: Exclude<Argument, { readonly kind: 'place' }>): string {
  switch (argument.kind) {
    case 'local':
      return 'not in a mount of svcfs, and not project:owner/name/… or volume:owner/name/…';
    case 'failed':
      return argument.reason;
    default:
      return 'no such file or directory';
  }
}

function hasEntries(place: AnyPlace): boolean {
  return place.kind === 'folder' || place.kind === 'prefix';
}

class Lister {
  readonly #platform: Platform;
  readonly #options: ListOptions;
  readonly #signal: AbortSignal;
  #hasPrinted = false;

  constructor(platform: Platform, options: ListOptions, signal: AbortSignal) {
    this.#platform = platform;
    this.#options = options;
    this.#signal = signal;
  }

  async below(place: AnyPlace, name: string, headed: boolean): Promise<void> {
    const entries = await entriesOf(place, { api: this.#platform.api, signal: this.#signal });
    if (headed && !this.#options.json) console.log(`${this.#hasPrinted ? '\n' : ''}${printable(name)}:`);
    this.#hasPrinted = true;
    for (const entry of entries) this.print(entry, nameOf(entry));
    if (!this.#options.recursive) return;
    for (const entry of entries)
      if (hasEntries(entry)) await this.below(entry, `${name.replace(/\/$/, '')}/${nameOf(entry)}`, headed);
  }

  print(place: AnyPlace, name: string): void {
    this.#hasPrinted = true;
    const { json, long, human } = this.#options;
    if (json) {
      console.log(JSON.stringify({ path: describePlace(place), ...factsOf(place) }));
      return;
    }
    const shown = printable(hasEntries(place) ? `${name.replace(/\/$/, '')}/` : name);
    if (!long) {
      console.log(shown);
      return;
    }
    const { size, modified = '-' } = factsOf(place);
    const text = size === undefined ? '-' : human ? describeSize(size) : String(size);
    console.log(`${text.padStart(12)}  ${modified.padEnd(20)}  ${shown}`);
  }
}

interface Facts {
  readonly type: 'file' | 'folder';
  readonly id?: string;
  readonly size?: number | undefined;
  readonly modified?: string;
}

function factsOf(place: AnyPlace): Facts {
  switch (place.kind) {
    case 'file': {
      const { id, sizeBytes: size, modifiedMs } = place.file;
      return { type: 'file', id, size, modified: timeOf(modifiedMs) };
    }
    case 'folder':
      return { type: 'folder', id: place.id };
    case 'object': {
      const { sizeBytes, modifiedMs } = place.record ?? {};
      return {
        type: 'file',
        size: sizeBytes,
        ...(modifiedMs !== undefined && { modified: timeOf(modifiedMs) }),
      };
    }
    case 'prefix':
      return { type: 'folder' };
  }
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
