import { randomBytes } from 'node:crypto';
import type {
  Export,
  FileRef,
  FolderToMake,
  Import,
  Leftover,
  Step,
  Taking,
  To,
  Transition,
} from '../step.ts';
import type { Operation } from './transfer.ts';

/** So few files take a call each; more go as jobs of a hundred. */
const MOST_SINGLE_CALLS = 4;

type Wanted = Omit<Transition, 'to' | 'overwrite' | 'made'> & { readonly to: To };

/** Gathers what a copy or move is made of, in the order in which it can be done. */
export class CollectedSteps {
  readonly #operation: Operation;
  readonly #folders: FolderToMake[][] = [];
  readonly #trees: Transition[] = [];
  readonly #files: Transition[] = [];
  readonly #over: Transition[] = [];
  readonly #takings: Taking[] = [];
  readonly #exports: Export[] = [];
  readonly #imports: Import[] = [];
  readonly #leftovers: Leftover[] = [];
  #atomic = true;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  folder(depth: number, folder: FolderToMake): void {
    while (this.#folders.length <= depth) this.#folders.push([]);
    this.#folders[depth]?.push(folder);
  }

  /** A folder with all below it, under a name that is free. */
  tree(wanted: Wanted): void {
    this.#trees.push({ ...wanted, overwrite: false });
  }

  /** A file under a name that is free. */
  file(wanted: Wanted): void {
    this.#files.push({ ...wanted, overwrite: false });
  }

  /** A file in the place of another. `how`: whether the platform moves one over another, and whether it stays in its project. */
  replacing(
    wanted: Wanted,
    replaced: string,
    { atomic, isInProject }: { readonly atomic: boolean; readonly isInProject: boolean },
  ): void {
    this.#atomic = atomic;
    if (this.#operation === 'move' && atomic && isInProject) {
      this.#over.push({ ...wanted, overwrite: true });
      return;
    }
    const { source, target, to, bytes } = wanted;
    const made: FileRef = { id: undefined };
    // The name is taken until the content is there: it comes under one of its own.
    const name = `.${to.name.slice(0, 200)}.svcfs-${randomBytes(6).toString('hex')}`;
    this.#files.push({ ...wanted, to: { ...to, name }, overwrite: false, made });
    this.#takings.push({ source, target, bytes, made, to, replaced });
  }

  export(item: Export): void {
    this.#exports.push(item);
  }

  import(item: Import): void {
    this.#imports.push(item);
  }

  /** To be told after those inside of it. */
  leftover(item: Leftover): void {
    this.#leftovers.push(item);
  }

  steps(): readonly Step[] {
    const operation = this.#operation;
    const steps: readonly Step[] = [
      ...this.#folders.map((items) => ({ kind: 'folders', items }) as const),
      { kind: 'job', operation, items: this.#trees },
      ...this.#fileSteps(),
      { kind: 'single', operation, items: this.#over },
      { kind: 'take-names', atomic: this.#atomic, items: this.#takings },
      { kind: 'export', copyOnly: operation === 'copy', items: this.#exports },
      { kind: 'import', items: this.#imports },
      { kind: 'leftovers', items: this.#leftovers },
    ];
    return steps.filter(({ items }) => items.length > 0);
  }

  /** A call for one file gives it another name in its folder, or moves it inside of its project. Jobs do the rest. */
  #fileSteps(): readonly Step[] {
    const operation = this.#operation;
    const renamed = this.#files.filter(
      ({ from, to }) => operation === 'move' && from.parent !== undefined && from.parent === to.parent.id,
    );
    const others = this.#files.filter((each) => !renamed.includes(each));
    const single = others.length <= MOST_SINGLE_CALLS && others.every(({ leavesProject }) => !leavesProject);
    return [
      { kind: 'single', operation, items: single ? [...renamed, ...others] : renamed },
      { kind: 'job', operation, items: single ? [] : others },
    ];
  }
}
