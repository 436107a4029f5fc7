import type { Api, Priority } from '../../api/api.ts';
import type { VolumeObjectRecord, VolumePage } from '../../api/model.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import { canBeShown, escapedName, meaningOf, shownName } from '../escape.ts';
import { FsError } from '../fs-error.ts';
import { isKept } from '../identity.ts';
import type { Listed } from '../listed.ts';
import type { VolumeDirectoryNode } from '../node.ts';
import type { Details } from './details.ts';
import type { PagingOptions, RemoteDirectory } from './remote-directory.ts';

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
    const objects = new Set<string>();
    let continuation: string | undefined;
    let first = true;
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
      yield { pass: 0, items, unchanged: false };
      continuation = page.continuation;
      if (first && continuation !== undefined && !options.goOn(undefined)) return;
      first = false;
    } while (continuation !== undefined);
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
    do {
      const page = await this.#contents(directory, { prefix, continuation, signal });
      if (page.objects.length > 0 || page.prefixes.length > 0)
        return { kind: 'prefix', name: shownName(segment, 'prefix'), prefix };
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

/** Whether the directory is there without a key on the volume: it is the volume itself, or this mount alone has it or what is in it. */
function holdsOwn(directory: VolumeDirectoryNode): boolean {
  return directory.prefix === '' || directory.local || [...directory.children.nodes()].some(isKept);
}

/** `objects`: names of the objects on this page and those before, which levels must not take. */
function listedOf(page: VolumePage, prefix: string, objects: Set<string>): readonly Listed[] {
  for (const { location } of page.objects) objects.add(location.slice(prefix.length));
  const levels = page.prefixes.map((level): Listed => {
    const segment = level.slice(prefix.length, -1);
    const name = objects.has(segment) ? escapedName(segment, 'prefix') : shownName(segment, 'prefix');
    return { kind: 'prefix', name, prefix: level };
  });
  return [...page.objects.map((object) => listedObject(object, prefix)), ...levels];
}

export function listedObject(record: VolumeObjectRecord, prefix: string): Listed {
  return { kind: 'object', name: shownName(record.location.slice(prefix.length), 'entry'), record };
}
