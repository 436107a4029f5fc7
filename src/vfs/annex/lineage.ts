/**
 * What imports of this mount made of files. An editor that saves twice writes the hashes of its first look both times: the
 * second save must not take the first one for a change of somebody else.
 */
export class Lineage {
  /** By the id of a file: the hashes that it had before, and the one that the last import left. */
  readonly #files = new Map<string, { readonly before: ReadonlySet<string>; readonly now: string }>();

  follows(file: string, before: string, now: string): void {
    const known = this.#files.get(file);
    // Somebody else changed it in between: what was before that no longer counts.
    const earlier = known?.now === before ? known.before : [];
    this.#files.set(file, { before: new Set([...earlier, before]), now });
  }

  /** Whether imports alone brought a file from one hash to the other. */
  isOwn(file: string, before: string, now: string): boolean {
    const known = this.#files.get(file);
    return known?.now === now && known.before.has(before);
  }
}
