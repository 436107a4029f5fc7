import type { FileContent, ReplacedFile } from '../../model/file-content.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import { pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { ReplacedByDrafts } from '../../publish/replaced-by-drafts.ts';
import type { AsideEntry, AsideJournal } from './aside-journal.ts';
import { type Asides, isAnswer, placeOf } from './asides.ts';
import { hasNodesName } from './replaced-file.ts';

type Entry = Extract<AsideEntry, { kind: 'superseded' }>;

interface Waiting {
  readonly entry: Entry;
  /** For people. */
  readonly path: string;
  /** The content, while a handle still reads it. */
  readonly content?: FileContent | undefined;
  /** Where it was; undefined: an ended mount knew. */
  readonly shownIn?: { readonly parent: ProjectFolderNode; readonly name: string } | undefined;
}

/** Files aside (`Asides`) that a draft replaces: which waits for which draft is in the journal, for the next mount. */
export class DraftAsides implements ReplacedByDrafts {
  readonly #tree: Tree;
  readonly #asides: Asides;
  readonly #journal: AsideJournal;
  /** By draft, then by file. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();

  constructor(tree: Tree, asides: Asides, journal: AsideJournal) {
    this.#tree = tree;
    this.#asides = asides;
    this.#journal = journal;
  }

  async setAside(
    draftId: string,
    { file, node }: { readonly file: ReplacedFile; readonly node: ProjectFileNode },
  ): Promise<void> {
    // Another client moved it: the draft replaces nothing.
    if (!(await hasNodesName(this.#tree, file, node))) return;
    const { record, content } = file;
    const { parent, name } = node;
    const entry: Entry = { kind: 'superseded', fileId: record.id, place: placeOf(record, node), draftId };
    const shownIn = parent?.kind === 'project-folder' ? { parent, name } : undefined;
    const waiting = { entry, path: pathOf(node), content, shownIn };
    try {
      await this.#asides.setAside(record, node, entry);
      this.#add(waiting);
    } catch (error) {
      // It may be aside all the same.
      if (!isAnswer(error)) this.#add(waiting);
      throw error;
    }
  }

  keeps(node: ProjectFileNode): boolean {
    return this.#asides.keeps(node);
  }

  isAside(draftId: string, fileId: string): boolean {
    return this.#waiting.get(draftId)?.has(fileId) ?? false;
  }

  async tryPutBack(draftId: string, fileId: string): Promise<void> {
    const waiting = this.#waiting.get(draftId)?.get(fileId);
    if (!waiting) return;
    await this.#unheard(waiting, async () => {
      await this.#asides.putBack(waiting.entry);
      this.#remove(waiting);
    });
  }

  async deleteFor(draftId: string): Promise<void> {
    for (const waiting of this.#take(draftId))
      await this.#unheard(waiting, () => this.#asides.deleteAfter(waiting.entry.fileId, waiting.content));
  }

  async putBackFor(draftId: string): Promise<void> {
    for (const waiting of this.#take(draftId)) {
      const { entry, shownIn } = waiting;
      await this.#unheard(waiting, async () => {
        // The next mount need not know what became of the draft.
        await this.#asides.note({ kind: 'leaving', fileId: entry.fileId, place: entry.place });
        await this.#asides.putBack(entry);
        if (shownIn) this.#tree.invalidate(shownIn.parent, shownIn.name);
      });
    }
  }

  async putBackAllBut(draftIds: ReadonlySet<string>): Promise<void> {
    for (const draftId of [...this.#waiting.keys()])
      if (!draftIds.has(draftId)) await this.putBackFor(draftId);
  }

  /** Another draft takes the name of that one: what waits for it waits for the other. */
  async passOn(draftId: string, toDraftId: string): Promise<void> {
    for (const waiting of [...(this.#waiting.get(draftId)?.values() ?? [])]) {
      const entry = { ...waiting.entry, draftId: toDraftId };
      await this.#asides.note(entry);
      this.#remove(waiting);
      this.#add({ ...waiting, entry });
    }
  }

  /** Takes over what an ended mount left; `putBackAllBut` follows when it is known which drafts are still owed. */
  async recover(): Promise<void> {
    const isOurs = (entry: AsideEntry): entry is Entry => entry.kind === 'superseded';
    const left = (await this.#journal.entries()).filter(isOurs);
    if (left.length === 0) return;
    for (const entry of left) this.#add({ entry, path: entry.place.name });
    for (const draftId of await this.#tree.writer.publishedDrafts()) await this.deleteFor(draftId);
  }

  #add(waiting: Waiting): void {
    const { draftId, fileId } = waiting.entry;
    const ofDraft = this.#waiting.get(draftId) ?? new Map<string, Waiting>();
    this.#waiting.set(draftId, ofDraft.set(fileId, waiting));
  }

  #remove({ entry: { draftId, fileId } }: Waiting): void {
    const ofDraft = this.#waiting.get(draftId);
    ofDraft?.delete(fileId);
    if (ofDraft?.size === 0) this.#waiting.delete(draftId);
  }

  #take(draftId: string): readonly Waiting[] {
    const waiting = [...(this.#waiting.get(draftId)?.values() ?? [])];
    this.#waiting.delete(draftId);
    return waiting;
  }

  /** Records a failure and goes on. The journal still has the work, and the next mount does it. */
  async #unheard({ path }: Waiting, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#tree.recordError({ op: 'rename', path }, error);
    }
  }
}
