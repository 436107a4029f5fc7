import { FsError } from '../errors/fs-error.ts';
import type { Tree } from '../model/tree.ts';
import { importTable, rejectedName, type WrittenTable } from './import-table.ts';
import { Lineage } from './lineage.ts';
import type { TableNode } from './node.ts';

/** Imports tables that programs wrote, and keeps why one failed at its path until one there succeeds. */
export class Importing {
  readonly #tree: Tree;
  readonly #lineage = new Lineage();
  readonly #pathOf: (table: TableNode) => string;

  constructor(tree: Tree, pathOf: (table: TableNode) => string) {
    this.#tree = tree;
    this.#pathOf = pathOf;
  }

  async run(table: TableNode, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const { errors } = this.#tree;
    const path = this.#pathOf(table);
    const { mark } = errors;
    try {
      await importTable(writtenTable(table, bytes), { tree: this.#tree, lineage: this.#lineage }, signal);
      errors.ended(path, { ops: 'all', mark });
    } catch (error) {
      // A program that renames a temporary file removes it when that fails, and its failure with it.
      this.#tree.recordError({ op: 'import', path }, error);
      throw error;
    }
  }

  async keepHalf(table: TableNode, bytes: Uint8Array): Promise<void> {
    const { name, room } = writtenTable(table, bytes);
    const rejected = rejectedName({ name });
    await room.write(rejected, bytes);
    const reason = `the program that wrote ${name} was killed: nothing was sent, and what it wrote is ${rejected}`;
    this.#tree.recordError({ op: 'import', path: this.#pathOf(table) }, new FsError('EINTR', reason));
  }
}

function writtenTable({ name, format, scope, parent }: TableNode, bytes: Uint8Array): WrittenTable {
  const room = parent?.source.room;
  if (room === undefined) throw new FsError('EIO', `${name} has no directory`);
  return { name, format, bytes, scope, room };
}
