import { constants } from 'node:fs';
import type { FileHandle, KernelCaches, NodeId, RequestContext } from '../../src/vfs/file-system.ts';
import type { SyntheticDirectory } from '../../src/vfs/model/synthetic.ts';
import { SyntheticTrees } from '../../src/vfs/synthetic/synthetic-trees.ts';
import { FakeClock } from './fake-clock.ts';

const TOP = 2 as NodeId;

/** A synthetic tree as a kernel asks for it, which keeps nothing that it was told; the tree is at `/top`. */
export class SyntheticWorld {
  readonly clock = new FakeClock();
  /** Names and nodes that the kernel was told to forget. */
  readonly forgotten: string[] = [];
  readonly trees: SyntheticTrees;
  readonly context: RequestContext = { uid: 1, gid: 2, pid: 3, signal: new AbortController().signal };

  constructor(top: SyntheticDirectory) {
    const kernel: KernelCaches = {
      invalidateEntry: (parent, name) => this.forgotten.push(`${this.trees.pathOf(parent)}/${name}`),
      invalidateNode: (node) => this.forgotten.push(this.trees.pathOf(node)),
      lookedUp: () => undefined,
    };
    const mounter = { uid: 1, gid: 2 };
    const options = { uid: 7, gid: 8, umask: 0o022, mounter };
    this.trees = new SyntheticTrees({
      clock: this.clock,
      kernel,
      errors: { lastAt: () => undefined },
      options,
    });
    this.trees.graft(TOP, top, { ino: 99n, path: '/top' });
  }

  /** What a lookup of each name on the way answers last; undefined: there is nothing. */
  async stat(path: string): ReturnType<SyntheticTrees['lookup']> {
    let at = TOP;
    const names = path.split('/');
    for (const [index, name] of names.entries()) {
      const found = await this.trees.lookup(at, name, this.context);
      if (found.node === undefined || index === names.length - 1) return found;
      at = found.node;
    }
    throw new Error('no path');
  }

  async node(path: string): Promise<NodeId> {
    const { node } = path === '' ? { node: TOP } : await this.stat(path);
    if (node === undefined) throw new Error(`${path}: nothing there`);
    return node;
  }

  /** The bytes of a file, which are as many as its size tells. */
  async read(path: string): Promise<string> {
    const found = await this.stat(path);
    if (found.node === undefined) throw new Error(`${path}: nothing there`);
    const { handle } = this.trees.open(found.node, constants.O_RDONLY);
    const text = this.readHandle(handle);
    this.trees.release(handle);
    if (Buffer.byteLength(text) !== found.attributes.sizeBytes) throw new Error(`${path}: another size`);
    return text;
  }

  readHandle(handle: FileHandle): string {
    return Buffer.concat([...this.trees.read(handle, 0, 2 ** 30).chunks]).toString();
  }

  async readlink(path: string): Promise<string> {
    return this.trees.readlink(await this.node(path));
  }

  /** The names in a directory, `.` and `..` left out; `most`: the reader stops after so many. */
  async list(path = '', most = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    const { handle } = this.trees.opendir(await this.node(path));
    const names: string[] = [];
    for (let offset = 0; ; ) {
      const before = offset;
      const add = ({ name, nextOffset }: { readonly name: string; readonly nextOffset: number }): boolean => {
        if (names.length >= most) return false;
        if (name !== '.' && name !== '..') names.push(name);
        offset = nextOffset;
        return true;
      };
      await this.trees.readdir(handle, before, { add }, this.context);
      if (offset === before) break;
    }
    this.trees.releasedir(handle);
    return names;
  }
}
