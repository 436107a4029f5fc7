import type { Budget, Gauge, MountDetails } from '../page-model.ts';
import { clockText, describeSize, durationText, percent, rateText } from './format.ts';
import { HealthMark } from './mount-list.tsx';
import { Bar, Section } from './section.tsx';

/** The head of a mount: how it is, and what a person should know. */
export function MountHead({ mount }: { readonly mount: MountDetails }) {
  const { health, mountPoint, state, notices, downRate, upRate } = mount;
  return (
    <header class="card mount-head">
      <h1>
        <HealthMark health={health} />
        {mountPoint}
      </h1>
      <p class="now">
        {notices.length === 0 ? <span>{state}</span> : null}
        <span>↓ {rateText(downRate)} from the store</span>
        <span>↑ {rateText(upRate)} to the store</span>
      </p>
      <div role="status" class="notices">
        {notices.length === 0 ? null : (
          <ul>
            {notices.map(({ health: degree, text, remedy }) => (
              <li key={text} class={degree}>
                {text}
                {remedy === undefined ? null : <code>{remedy}</code>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </header>
  );
}

/** The request limit, and other numbers. */
export function Service({ mount: { budget, facts } }: { readonly mount: MountDetails }) {
  return (
    <Section id="service" title="Service">
      {budget === undefined ? <p class="muted">No request limit is known.</p> : <BudgetBar budget={budget} />}
      <dl class="facts">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Of a request limit, what is left is little. */
const LITTLE_SHARE = 0.1;

function BudgetBar({ budget: { remaining, limit, resetMs } }: { readonly budget: Budget }) {
  const isLittle = remaining < limit * LITTLE_SHARE;
  const left =
    resetMs === null
      ? ''
      : `, reset at ${clockText(resetMs)} (in ${durationText((resetMs - Date.now()) / 1000)})`;
  return (
    <div class="gauge">
      <p>
        <strong>{remaining}</strong> of {limit} requests left{left}
      </p>
      <Bar label="Requests left" value={remaining} max={limit} tone={isLittle ? 'bad' : 'plain'} />
    </div>
  );
}

/** Memory, disk cache and spool. */
export function Gauges({ gauges }: { readonly gauges: readonly Gauge[] }) {
  return (
    <Section id="room" title="Memory and disk">
      {gauges.map((gauge) => (
        <div class="gauge" key={gauge.name}>
          <p>
            {gauge.name}: <strong>{describeSize(gauge.usedBytes)}</strong> of{' '}
            {gauge.limitBytes === null ? 'what the disk has' : describeSize(gauge.limitBytes)}
          </p>
          {gauge.limitBytes === null ? null : (
            <Bar
              label={`${gauge.name}, ${percent(gauge.usedBytes, gauge.limitBytes)} %`}
              value={gauge.usedBytes}
              max={gauge.limitBytes}
            />
          )}
          {gauge.words === '' ? null : <p class="muted">{gauge.words}</p>}
        </div>
      ))}
    </Section>
  );
}
