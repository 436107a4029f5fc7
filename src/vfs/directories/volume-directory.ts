import type { Api } from '../../api/api.ts';
import type { Priority } from '../../api/call-options.ts';
import type { VolumeObjectRecord, VolumePage } from '../../api/model.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import { FsError } from '../errors/fs-error.ts';
import { canBeShown, escapedName, meaningOf, shownName } from '../model/escape.ts';
import { isKept } from '../model/identity.ts';
import type { Listed } from '../model/listed.ts';
import type { VolumeDirectoryNode } from '../model/node.ts';
import type { Details } from './details.ts';
import type { PagingOptions, RemoteDirectory } from './remote-directory.ts';

/** Pages without a name, one after the other: as many as the platform answers in five minutes. */
const MOST_EMPTY_PAGES = 1000;

/**
 * A level of a volume. Keys are no paths: `a` and `a/b` may both be objects, and a key may hold `//` or end in `/`.
 * The object keeps the plain name (it comes first in every listing), the level gets the escaped one.
 */
export class VolumeDirectories implements RemoteDirectory<VolumeDirectoryNode> {
  readonly #api: Api;
  readonly #details: Details;

  constructor(api: Api, details: Details) {
    this.#api = api;
    this.#details = details;
  }

  async *pages(directory: VolumeDirectoryNode, options: PagingOptions): AsyncGenerator<PageOfPass<Listed>> {
    const { volume, prefix } = directory;
    const { generation } = directory.children;
    await this.#details.volume(volume, options.signal);
    let isEmpty = true;
    let foreign: string | undefined;
    const objects = new Set<string>();
    let continuation: string | undefined;
    let first = true;
    let emptyPages = 0;
    do {
      const page = await this.#contents(directory, {
        prefix,
        continuation,
        signal: options.signal,
        priority: options.priority ?? 'interactive',
        urgent: options.urgent,
        onUnusable: options.onUnusable,
      });
      // Where the next page begins is told by a key: nothing is shifted, and nobody told what came before it meanwhile.
      const items = listedOf(page, prefix, objects);
      isEmpty &&= items.length === 0;
      foreign ??= foreignKeyOf(page, prefix);
      yield { pass: 0, items, unchanged: false };
      continuation = page.continuation;
      emptyPages = items.length === 0 ? emptyPages + 1 : 0;
      requireProgress(directory, emptyPages);
      if (first && continuation !== undefined && !(await options.goOn(undefined))) return;
      first = false;
    } while (continuation !== undefined);
    if (foreign !== undefined) {
      const reason = `asked for keys that begin with ${JSON.stringify(prefix)}, the platform tells ${JSON.stringify(foreign)}`;
      if (isEmpty) throw new FsError('EIO', reason);
      options.onUnusable?.(reason);
    }
    // A level is there by its keys: the last of them went elsewhere.
    const isUnchanged = directory.children.generation === generation;
    if (isEmpty && isUnchanged && !holdsOwn(directory))
      throw new FsError('ENOENT', `no key of the volume begins with ${prefix}`);
  }

  async find(directory: VolumeDirectoryNode, name: string, signal: AbortSignal): Promise<Listed | undefined> {
    await this.#details.volume(directory.volume, signal);
    const meaning = meaningOf(name);
    switch (meaning.kind) {
      case 'plain':
        return (
          (await this.#object(directory, meaning.name, signal)) ??
          (await this.#level(directory, meaning.name, signal))
        );
      case 'escaped-entry':
        return this.#object(directory, meaning.name, signal);
      case 'escaped-prefix': {
        const needed = !canBeShown(meaning.name) || (await this.#object(directory, meaning.name, signal));
        const level = needed ? await this.#level(directory, meaning.name, signal) : undefined;
        return level && { ...level, name };
      }
      case 'digest':
      case 'nothing':
        return undefined;
      default:
        return meaning satisfies never;
    }
  }

  async #object(
    directory: VolumeDirectoryNode,
    segment: string,
    signal: AbortSignal,
  ): Promise<Listed | undefined> {
    const location = directory.prefix + segment;
    const record = await this.#api.volumes.object(directory.volume.id, location, { signal });
    return record && listedObject(record, directory.prefix);
  }

  async #level(
    directory: VolumeDirectoryNode,
    segment: string,
    signal: AbortSignal,
  ): Promise<Listed | undefined> {
    const prefix = `${directory.prefix}${segment}/`;
    let continuation: string | undefined;
    let emptyPages = 0;
    do {
      const page = await this.#contents(directory, { prefix, continuation, signal });
      const below = [...page.objects.map((object) => object.location), ...page.prefixes];
      if (below.some((key) => key.startsWith(prefix)))
        return { kind: 'prefix', name: shownName(segment, 'prefix'), prefix };
      emptyPages += 1;
      requireProgress(directory, emptyPages);
      // A store that passed over many deleted keys says that there may be more.
      continuation = page.continuation;
    } while (continuation !== undefined);
    return undefined;
  }

  #contents(
    directory: VolumeDirectoryNode,
    query: {
      readonly prefix: string;
      readonly continuation: string | undefined;
      readonly signal: AbortSignal;
      readonly priority?: Priority;
      readonly urgent?: AbortSignal | undefined;
      readonly onUnusable?: PagingOptions['onUnusable'] | undefined;
    },
  ): Promise<VolumePage> {
    const { signal, priority = 'interactive', urgent, onUnusable, ...rest } = query;
    const options = { signal, priority, urgent, onUnusable };
    return this.#api.volumes.contents(directory.volume.id, rest, options);
  }
}

/** EIO: a store whose pages are empty for ever would keep its reader for ever, and use up the rate limit. */
function requireProgress({ volume, prefix }: VolumeDirectoryNode, emptyPages: number): void {
  if (emptyPages < MOST_EMPTY_PAGES) return;
  const where = `${volume.id}, below ${JSON.stringify(prefix)}`;
  throw new FsError(
    'EIO',
    `${emptyPages} pages of ${where} came one after the other without a name, and no end`,
  );
}

/** Whether the directory is there without a key on the volume: it is the volume itself, or this mount alone has it or what is in it. */
function holdsOwn(directory: VolumeDirectoryNode): boolean {
  return directory.prefix === '' || directory.local || [...directory.children.nodes()].some(isKept);
}

/**
 * The entries of this level, and of no other: a platform that takes another key for the one asked for would make the tree
 * hold itself, without end. The set `objects` has the names of the objects on this page and those before, which levels
 * must not take.
 */
function listedOf(page: VolumePage, prefix: string, objects: Set<string>): readonly Listed[] {
  const own = page.objects.filter(({ location }) => isObjectOf(prefix, location));
  for (const { location } of own) objects.add(location.slice(prefix.length));
  const levels = page.prefixes.filter((level) => isLevelOf(prefix, level));
  return [
    ...own.map((object) => listedObject(object, prefix)),
    ...levels.map((level): Listed => {
      const segment = level.slice(prefix.length, -1);
      const name = objects.has(segment) ? escapedName(segment, 'prefix') : shownName(segment, 'prefix');
      return { kind: 'prefix', name, prefix: level };
    }),
  ];
}

function foreignKeyOf(page: VolumePage, prefix: string): string | undefined {
  const object = page.objects.find(({ location }) => !isObjectOf(prefix, location));
  return object?.location ?? page.prefixes.find((level) => !isLevelOf(prefix, level));
}

/** Whether the key is that of an object on the level with this prefix. */
function isObjectOf(prefix: string, key: string): boolean {
  return key.startsWith(prefix) && !key.slice(prefix.length).includes('/');
}

/** Whether the key is the prefix of the next level below the one with this prefix. */
function isLevelOf(prefix: string, key: string): boolean {
  return key.endsWith('/') && key.length > prefix.length && isObjectOf(prefix, key.slice(0, -1));
}

export function listedObject(record: VolumeObjectRecord, prefix: string): Listed {
  return { kind: 'object', name: shownName(record.location.slice(prefix.length), 'entry'), record };
}
