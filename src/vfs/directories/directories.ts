import type { Api } from '../../api/api.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import type { Listed } from '../listed.ts';
import type { DirectoryNode, VirtualDirectoryNode } from '../node.ts';
import type { Details } from './details.ts';
import { ProjectFolders } from './project-folder.ts';
import type { PagingOptions, RemoteDirectory } from './remote-directory.ts';
import { VolumeDirectories } from './volume-directory.ts';

/** Every kind of directory behind one interface. */
export class Directories implements RemoteDirectory<DirectoryNode> {
  readonly #projectFolders: ProjectFolders;
  readonly #volumeDirectories: VolumeDirectories;

  constructor(api: Api, details: Details) {
    this.#projectFolders = new ProjectFolders(api, details);
    this.#volumeDirectories = new VolumeDirectories(api, details);
  }

  pages(directory: DirectoryNode, options: PagingOptions): AsyncIterable<PageOfPass<Listed>> {
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
    switch (directory.kind) {
      case 'project-folder':
        return this.#projectFolders.find(directory, name, signal);
      case 'volume-directory':
        return this.#volumeDirectories.find(directory, name, signal);
      case 'virtual-directory': {
        const entry = (await directory.source.entries(signal)).find((each) => each.name === name);
        return entry && { kind: 'virtual', ...entry };
      }
      default:
        return directory satisfies never;
    }
  }
}

async function* virtualPages(
  directory: VirtualDirectoryNode,
  options: PagingOptions,
): AsyncGenerator<PageOfPass<Listed>> {
  const entries = await directory.source.entries(options.signal);
  // What a source says may be older than the question.
  yield { pass: 0, items: entries.map((entry) => ({ kind: 'virtual', ...entry })), unchanged: false };
}
