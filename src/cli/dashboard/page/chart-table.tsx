import type { HistoryView } from '../page-model.ts';
import { rowsOf } from './chart-data.ts';
import type { ChartPlan } from './chart-plans.ts';
import { clockText } from './format.ts';

interface ChartTableProps {
  readonly history: HistoryView;
  readonly plans: readonly ChartPlan[];
}

/** What the charts show, in numbers. */
export function ChartTable({ history, plans }: ChartTableProps) {
  const columns = plans.flatMap(({ title, lines, words }) =>
    lines.map((line) => ({ ...line, title, words })),
  );
  const rows = rowsOf(
    history,
    columns.map(({ series }) => series),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people without a pointer scroll it by keys
    <section class="scrolled" aria-label="The last hour as a table" tabIndex={0}>
      <table>
        <caption>Means of five minutes each, newest first</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {columns.map(({ title, name }) => (
              <th scope="col" key={`${title} ${name}`}>
                {title}: {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ beginMs, means }) => (
            <tr key={beginMs}>
              <th scope="row">{clockText(beginMs).slice(0, 5)}</th>
              {columns.map(({ title, name, words }, index) => {
                const value = means[index];
                return <td key={`${title} ${name}`}>{value === undefined ? '–' : words(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
