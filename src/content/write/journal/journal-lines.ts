import { checkedLines } from '../../../lib/checked-lines.ts';
import { entryOf, type JournalEntry } from './journal-entry.ts';

export interface JournalLine {
  /** Undefined when the line is damaged. */
  readonly entry: JournalEntry | undefined;
  /** Where the next line begins. */
  readonly end: number;
}

/** The whole lines of a journal, one after the other; none when there is no journal. */
export async function* journalLines(path: string, signal?: AbortSignal): AsyncGenerator<JournalLine> {
  for await (const { value, end } of checkedLines(path, signal)) yield { entry: entryOf(value), end };
}
