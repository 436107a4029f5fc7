import type { Listed } from '../listed.ts';
import type { PageOfPass, PagingOptions } from '../listing/pages-in-order.ts';

/** How one kind of directory is asked for what it holds. */
export interface RemoteDirectory<D> {
  /** All names in order, page by page. */
  pages(directory: D, options: PagingOptions): AsyncIterable<PageOfPass<Listed>>;
  /** One name; undefined when there is none. */
  find(directory: D, name: string, signal: AbortSignal): Promise<Listed | undefined>;
}
