import { useState } from 'preact/hooks';
import type { Health, MountSummary } from '../page-model.ts';
import { counted, rateText } from './format.ts';

/** With so many, a person would rather look for one than read them. */
const FILTERED_FROM = 8;

const ORDER: readonly Health[] = ['fault', 'warning', 'well'];

interface MountListProps {
  readonly mounts: readonly MountSummary[];
  readonly shown: string | undefined;
}

/** All mounts, those in trouble first. */
export function MountList({ mounts, shown }: MountListProps) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const found = mounts
    .filter(({ mountPoint, state }) => `${mountPoint} ${state}`.toLowerCase().includes(wanted))
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.health) - ORDER.indexOf(b.health) ||
        a.mountPoint.localeCompare(b.mountPoint, undefined, { numeric: true }),
    );
  return (
    <nav class="mounts" aria-label="Mounts">
      <h2>
        Mounts<span class="count">{mounts.length}</span>
      </h2>
      {mounts.length < FILTERED_FROM ? null : (
        <label class="filter">
          <span>Find a mount</span>
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
      )}
      <ul>
        {found.map((mount) => (
          <li key={mount.id}>
            <Entry mount={mount} isShown={mount.id === shown} />
          </li>
        ))}
      </ul>
      {found.length === 0 && mounts.length > 0 ? (
        <p class="muted">No mount has “{filter}” in its path.</p>
      ) : null}
    </nav>
  );
}

function Entry({ mount, isShown }: { readonly mount: MountSummary; readonly isShown: boolean }) {
  const { id, mountPoint, health, state, downRate, upRate } = mount;
  const isMoving = downRate > 0 || upRate > 0;
  return (
    <a href={`#${encodeURIComponent(id)}`} aria-current={isShown ? 'page' : undefined}>
      <HealthMark health={health} />
      <span class="where">{mountPoint.slice(mountPoint.lastIndexOf('/') + 1)}</span>
      <span class="state">{mountPoint}</span>
      <span class="state words">{state}</span>
      {isMoving ? (
        <span class="rates">
          ↓ {rateText(downRate)} ↑ {rateText(upRate)}
        </span>
      ) : null}
    </a>
  );
}

const MARKS: Readonly<Record<Health, { readonly sign: string; readonly word: string }>> = {
  well: { sign: '✓', word: 'well' },
  warning: { sign: '!', word: 'warning' },
  fault: { sign: '✕', word: 'fault' },
};

/** Never by colour alone. */
export function HealthMark({ health }: { readonly health: Health }) {
  const { sign, word } = MARKS[health];
  return (
    <span class={`health ${health}`}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{word}:</span>
    </span>
  );
}

/** The sum of all mounts, for the head of the page. */
export function summaryText(mounts: readonly MountSummary[]): string {
  if (mounts.length === 0) return 'no mount';
  const inTrouble = mounts.filter(({ health }) => health !== 'well').length;
  const all = counted(mounts.length, 'mount');
  return inTrouble === 0 ? `${all}, all well` : `${all}, ${inTrouble} in trouble`;
}
