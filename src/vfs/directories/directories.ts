import type { Api } from '../../api/api.ts';
import { meaningOf } from '../model/escape.ts';
import type { Listed } from '../model/listed.ts';
import type { DirectoryNode, VirtualDirectoryNode } from '../model/node.ts';
import type { Details } from './details.ts';
import { ProjectFolders, type Showing } from './project-folder.ts';
import type { ListedPage, PagingOptions, RemoteDirectory } from './remote-directory.ts';
import { VolumeDirectories } from './volume-directory.ts';

/** Every kind of directory behind one interface. */
export class Directories implements RemoteDirectory<DirectoryNode> {
  readonly #projectFolders: ProjectFolders;
  readonly #volumeDirectories: VolumeDirectories;

  constructor(api: Api, details: Details, showing: Showing) {
    this.#projectFolders = new ProjectFolders(api, details, showing);
    this.#volumeDirectories = new VolumeDirectories(api, details);
  }

  pages(directory: DirectoryNode, options: PagingOptions): AsyncIterable<ListedPage> {
    switch (directory.kind) {
      case 'project-folder':
        return this.#projectFolders.pages(directory, options);
      case 'volume-directory':
        return this.#volumeDirectories.pages(directory, options);
      case 'virtual-directory':
        return virtualPages(directory, options);
      default:
        return directory satisfies never;
    }
  }

  async find(directory: DirectoryNode, name: string, signal: AbortSignal): Promise<Listed | undefined> {
    if (meaningOf(name).kind === 'digest') return this.#findAmongAll(directory, name, signal);
    switch (directory.kind) {
      case 'project-folder':
        return this.#projectFolders.find(directory, name, signal);
      case 'volume-directory':
        return this.#volumeDirectories.find(directory, name, signal);
      case 'virtual-directory': {
        const { entries } = await directory.source.entries(signal);
        const known = entries.find((each) => each.name === name);
        const entry = known ?? (await directory.source.find?.(name, signal));
        return entry && { kind: 'virtual', ...entry };
      }
      default:
        return directory satisfies never;
    }
  }

  async #findAmongAll(
    directory: DirectoryNode,
    name: string,
    signal: AbortSignal,
  ): Promise<Listed | undefined> {
    for await (const { items } of this.pages(directory, { goOn: () => true, signal })) {
      const found = items.find((each) => each.name === name);
      if (found) return found;
    }
    return undefined;
  }
}

async function* virtualPages(
  directory: VirtualDirectoryNode,
  options: PagingOptions,
): AsyncGenerator<ListedPage> {
  const { entries, learntMs } = await directory.source.entries(options.signal);
  const items = entries.map((entry): Listed => ({ kind: 'virtual', ...entry }));
  yield { pass: 0, items, unchanged: false, learntMs };
}
