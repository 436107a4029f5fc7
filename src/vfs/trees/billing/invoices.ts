import { printExactly } from '../../../lib/exact-json.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import { file } from '../../synthetic/entries.ts';
import { findAmongAll, pageOf, type RecordPages } from '../record-pages.ts';
import type { BillingParts } from './shared-breakdown.ts';

/** `invoices/<id>.json`: as the list tells them, 100 a request. */
export function invoices(
  group: string,
  { api, ttlMs }: Pick<BillingParts, 'api' | 'ttlMs'>,
): SyntheticDirectory {
  const pages: RecordPages = {
    api,
    kind: 'invoices',
    query: { billing_group: group },
    nameOf: (invoice) => {
      const { id } = invoice;
      if (typeof id !== 'string') return undefined;
      const entry = file(() => `${printExactly(invoice, 2)}\n`);
      return { name: shownName(`${id}.json`, 'entry'), kind: 'file', entry };
    },
  };
  const directory: SyntheticDirectory = {
    kind: 'directory',
    entriesTtlMs: ttlMs,
    list: (cursor, signal) => pageOf(pages, cursor, signal),
    lookup: (name, signal) =>
      name.startsWith('.') ? undefined : findAmongAll((each) => each === name, directory, signal),
  };
  return directory;
}
