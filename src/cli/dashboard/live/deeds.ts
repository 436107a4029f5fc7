import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { describeSize } from '../../../lib/describe-size.ts';
import type { SvcfsMount } from '../../mount/require-mount.ts';
import { drop, retry, save } from '../../recover/deal-with-kept.ts';
import { type KeptEntry, shownPath } from '../../recover/kept-entries.ts';
import { idOfKept } from '../view/kept-view.ts';
import type { LiveView } from './live-view.ts';
import type { Mounts } from './mounts.ts';
import type { WarmUps } from './warm-ups.ts';

/** The actions that a page may ask for, as they come. */
export type Deed = Readonly<Record<string, unknown>>;

/** A page asked for what is not there, or cannot be. */
export class BadDeed extends Error {
  override readonly name = 'BadDeed';
}

interface Parts {
  readonly mounts: Mounts;
  readonly live: LiveView;
  readonly warmUps: WarmUps;
}

/** Does what the buttons of a page say. Each answers a line that says what was done, or rejects with one that says why not. */
export class Deeds {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined when there is nothing of that name. */
  named(name: string): ((deed: Deed) => Promise<string>) | undefined {
    return NAMES.has(name) ? (deed) => this.#do(name as DeedName, deed) : undefined;
  }

  async #do(name: DeedName, deed: Deed): Promise<string> {
    try {
      return await this.#dispatch(name, deed);
    } finally {
      this.#parts.live.lookAgain();
    }
  }

  async #dispatch(name: DeedName, deed: Deed): Promise<string> {
    switch (name) {
      case 'retry':
        return retry(await this.#kept(deed));
      case 'save':
        return save(await this.#kept(deed), inHome(text(deed, 'to')), { replace: deed['replace'] === true });
      case 'drop':
        return drop(confirmed(await this.#kept(deed), text(deed, 'path')));
      case 'warmup':
        this.#parts.warmUps.start(...this.#folder(deed));
        return 'fetching has begun: how far it is stands below';
      case 'stop-warmup':
        this.#parts.warmUps.stop(...this.#folder(deed));
        return 'stopped; what was fetched stays in the cache';
      case 'cached':
        return this.#cached(...this.#folder(deed));
      case 'evict':
        return this.#evict(...this.#folder(deed));
    }
  }

  async #kept(deed: Deed): Promise<KeptEntry> {
    const id = text(deed, 'id');
    const { entries } = await this.#parts.mounts.kept();
    const found = entries.find((entry) => idOfKept(entry) === id);
    if (found === undefined) throw new BadDeed('it is not kept here any more');
    return found;
  }

  #folder(deed: Deed): readonly [mount: SvcfsMount, path: string] {
    const mount = this.#parts.live.mount(text(deed, 'mount'));
    if (mount === undefined) throw new BadDeed('the mount is gone');
    return [mount, pathInMount(mount.mountPoint, text(deed, 'path'))];
  }

  async #cached(mount: SvcfsMount, path: string): Promise<string> {
    const { files, failures, failed } = await this.#parts.mounts.ask(mount, {
      request: 'cache',
      paths: [path],
    });
    if (files.length === 0 && failures[0] !== undefined)
      throw new BadDeed(`${failures[0].path}: ${failures[0].reason}`);
    const whole = files.filter(({ cachedBytes, sizeBytes }) => cachedBytes >= sizeBytes).length;
    const sum = (of: 'cachedBytes' | 'sizeBytes'): string =>
      describeSize(files.reduce((total, file) => total + file[of], 0));
    const rest = failed === 0 ? '' : `; ${failed} could not be looked at`;
    return `${path}: ${sum('cachedBytes')} of ${sum('sizeBytes')} cached, ${whole} of ${files.length} files whole${rest}`;
  }

  async #evict(mount: SvcfsMount, path: string): Promise<string> {
    const { freedBytes, failures } = await this.#parts.mounts.ask(mount, { request: 'evict', paths: [path] });
    if (failures[0] !== undefined) throw new BadDeed(`${failures[0].path}: ${failures[0].reason}`);
    return `${path}: ${describeSize(freedBytes)} of disk space freed`;
  }
}

const DEED_NAMES = ['retry', 'save', 'drop', 'warmup', 'stop-warmup', 'cached', 'evict'] as const;
type DeedName = (typeof DEED_NAMES)[number];
const NAMES: ReadonlySet<string> = new Set(DEED_NAMES);

const LONGEST = 4096;

function text(deed: Deed, name: string): string {
  const value = deed[name];
  if (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST || value.includes('\0'))
    throw new BadDeed(`'${name}' is missing, or is no text that can be used`);
  return value.trim();
}

/** Nothing is dropped but what the person was shown. */
function confirmed(entry: KeptEntry, path: string): KeptEntry {
  if (shownPath(entry) !== path) throw new BadDeed(`${path}: another file is kept there now; look again`);
  return entry;
}

/** As a shell reads it. */
function inHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** A path as a person writes it, with the mount point or from the top of the mount. */
export function pathInMount(mountPoint: string, given: string): string {
  const path = inHome(given);
  const below = `${path}/`.startsWith(`${mountPoint}/`) ? path.slice(mountPoint.length) : path;
  return posix.join('/', below).replace(/(?<=.)\/$/, '');
}
