import { printable } from '../../lib/printable.ts';
import type { Join } from '../../metadata/plan/join-sheet.ts';

const TOLD = 20;

/** Tells, before anything is sent, which rows have no file and which files have no row. */
export function sayJoin({ withoutFile, withoutRow }: Join): void {
  say(
    withoutFile.map(({ sample, like }) =>
      like.length > 0 ? `${sample} (${like.join(', ')} exists)` : sample,
    ),
    { one: '1 row has no file', many: 'rows have no file' },
  );
  say(withoutRow, { one: '1 file has no row', many: 'files have no row' });
}

function say(names: readonly string[], words: { readonly one: string; readonly many: string }): void {
  if (names.length === 0) return;
  const told = names.slice(0, TOLD).map(printable).join(', ');
  const more = names.length > TOLD ? ` and ${names.length - TOLD} more` : '';
  const count = names.length === 1 ? words.one : `${names.length} ${words.many}`;
  console.error(`svcfs: ${count}: ${told}${more}`);
}
