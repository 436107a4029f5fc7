import { FsError } from '../vfs/errors/fs-error.ts';
import type { Entry, FileSystem, NodeId, RequestContext } from '../vfs/file-system.ts';
import { ROOT_NODE } from '../vfs/file-system.ts';

/**
 * From the paths of libfuse's high-level interface to nodes. Each walk looks every component up and gives its references
 * back when the caller is done: nothing is remembered here, for nothing would tell when it became wrong.
 */
export class PathWalk {
  readonly #fs: FileSystem;
  readonly #context: RequestContext;

  constructor(fs: FileSystem, context: RequestContext) {
    this.#fs = fs;
    this.#context = context;
  }

  /** Calls `use` with the node at `path`, which is referenced until `use` has settled. ENOENT when there is none. */
  async withNode<T>(path: string, use: (node: NodeId) => T | Promise<T>): Promise<T> {
    const references: NodeId[] = [];
    try {
      let node: NodeId = ROOT_NODE;
      for (const name of components(path)) {
        node = (await this.#step(node, name)).node;
        references.push(node);
      }
      return await use(node);
    } finally {
      for (const node of references) this.#fs.forget(node, 1);
    }
  }

  /** The same for the directory a path is in, and its last component. */
  withParent<T>(path: string, use: (parent: NodeId, name: string) => T | Promise<T>): Promise<T> {
    const names = components(path);
    const name = names.pop() ?? '.';
    return this.withNode(names.join('/'), (parent) => use(parent, name));
  }

  async #step(parent: NodeId, name: string): Promise<Entry> {
    const found = await this.#fs.lookup(parent, name, this.#context);
    if (found.node === undefined) throw new FsError('ENOENT', `no ${name}`);
    return found;
  }
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}
