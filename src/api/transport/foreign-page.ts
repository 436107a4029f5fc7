import { printable } from '../../lib/printable.ts';

/** Of a page that somebody on the way answered with, in place of the platform's JSON. */
export interface ForeignPage {
  readonly title: string | undefined;
}

const LONGEST_TITLE = 60;

/** Undefined for what is no page. `isJson`: the text could be read as such. */
export function foreignPage(
  text: string,
  { contentType, isJson }: { readonly contentType: string | undefined; readonly isJson: boolean },
): ForeignPage | undefined {
  const isPage = contentType?.startsWith('text/html') === true || (!isJson && /^\s*</.test(text));
  return isPage ? { title: titleOf(text) } : undefined;
}

function titleOf(text: string): string | undefined {
  const [, title = ''] = /<title[^>]*>([^<]*)/i.exec(text) ?? [];
  const words = printable(title.replace(/\s+/g, ' ').trim());
  if (words === '') return undefined;
  return words.length > LONGEST_TITLE ? `${words.slice(0, LONGEST_TITLE)}…` : words;
}

/** Says who answered. `host`: that the call was for. */
export function pageText(host: string, { title }: ForeignPage): string {
  return `a page of ${host} answered instead of the platform${title === undefined ? '' : ` ("${title}")`}`;
}

/** What is likely, and what helps. */
export const SIGN_IN =
  'a gateway or the sign-in page of a network stands between: open the endpoint in a browser, or check it';
