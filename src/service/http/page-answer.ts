import type { FastifyReply, FastifyRequest } from 'fastify';
import { TOTAL_HEADER } from '../../contract/headers.ts';
import type { Page, PageLink } from '../../contract/paging.ts';
import type { PageRange } from '../store/page-range.ts';

/**
 * A page as the API shows it. `href` repeats the whole query, since clients start over from it; the total goes into a
 * header of its own.
 */
export function pageAnswer<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: PageRange & { readonly items: Item[]; readonly total: number },
): Page<Item> {
  const { offset, limit, items, total } = page;
  void reply.header(TOTAL_HEADER, total);
  const address = addressSetter(request);
  const at = (start: number): string => address({ offset: start, limit });
  const links: PageLink[] = [];
  if (offset + items.length < total && items.length > 0) {
    links.push({ href: at(offset + limit), rel: 'next', method: 'GET' });
  }
  if (offset > 0) links.push({ href: at(Math.max(offset - limit, 0)), rel: 'prev', method: 'GET' });
  return { href: at(offset), items, links };
}

/** The absolute address of the request, with the parameters set or changed. */
export function addressOf(request: FastifyRequest, parameters: QueryParameters): string {
  return addressSetter(request)(parameters);
}

type QueryParameters = Record<string, string | number>;

/** The same for several sets of parameters, each in place of the last. */
function addressSetter(request: FastifyRequest): (parameters: QueryParameters) => string {
  const url = new URL(request.url, request.view.origin);
  // Apart from the address, which would be parsed anew for each.
  const query = new URLSearchParams(url.search);
  return (parameters) => {
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    url.search = query.toString();
    return url.href;
  };
}
