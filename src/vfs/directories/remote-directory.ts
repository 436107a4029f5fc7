import type { Priority } from '../../api/call-options.ts';
import type { PageOfPass } from '../../lib/pages-in-order.ts';
import type { Listed } from '../model/listed.ts';

export interface PagingOptions {
  /** Asked once, after the first page: whether the others are wanted. */
  readonly goOn: (total: number | undefined) => boolean | Promise<boolean>;
  /** Default `interactive`. */
  readonly priority?: Priority;
  /** Aborted when somebody waits for the pages who did not before: they are interactive from then on. */
  readonly urgent?: AbortSignal;
  /** Told why an entry cannot be shown, which is then left out. */
  readonly onUnusable?: (reason: string) => void;
  readonly signal: AbortSignal;
}

export interface ListedPage extends PageOfPass<Listed> {
  /** Of what was known before it was asked for; undefined: asked for now. */
  readonly learntMs?: number | undefined;
}

/** How one kind of directory is asked for what it holds. */
export interface RemoteDirectory<D> {
  /** All names in order, page by page. */
  pages(directory: D, options: PagingOptions): AsyncIterable<ListedPage>;
  /** One name; undefined when there is none. */
  find(directory: D, name: string, signal: AbortSignal): Promise<Listed | undefined>;
}
