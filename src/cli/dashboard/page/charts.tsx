import { useState } from 'preact/hooks';
import type { HistoryView } from '../page-model.ts';
import { Chart } from './chart.tsx';
import { PLANS } from './chart-plans.ts';
import { ChartTable } from './chart-table.tsx';
import { Section } from './section.tsx';

/** The last hour. Lines of which nothing was measured are left out, and charts without lines. */
export function Charts({ history }: { readonly history: HistoryView }) {
  const [isTable, setTable] = useState(false);
  const plans = PLANS.map((plan) => ({
    ...plan,
    lines: plan.lines.filter(({ series }) => history.values[series].some((value) => value !== null)),
  })).filter(({ lines }) => lines.length > 0);
  return (
    <Section id="history" title="The last hour">
      {plans.length === 0 ? (
        <p class="muted">The first sample comes ten seconds after the mount began.</p>
      ) : (
        <>
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Show as charts' : 'Show as a table'}
          </button>
          {isTable ? (
            <ChartTable history={history} plans={plans} />
          ) : (
            <div class="charts">
              {plans.map((plan) => (
                <Chart key={plan.title} history={history} plan={plan} />
              ))}
            </div>
          )}
        </>
      )}
    </Section>
  );
}
