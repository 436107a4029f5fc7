import type { ComponentChildren } from 'preact';
import type { Bounded } from '../page-model.ts';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
  readonly children: ComponentChildren;
}

/** A part of the page, by whose heading a screen reader finds it. */
export function Section({ id, title, count, children }: SectionProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {count === undefined ? null : <span class="count">{count}</span>}
      </h2>
      {children}
    </section>
  );
}

interface ListProps<T> {
  readonly items: Bounded<T>;
  readonly empty: string;
  readonly keyOf: (item: T) => string;
  readonly children: (item: T) => ComponentChildren;
}

/** The first items of a list, and how many more there are. */
export function List<T>({ items: { first, total }, empty, keyOf, children }: ListProps<T>) {
  if (total === 0) return <p class="muted">{empty}</p>;
  return (
    <>
      <ul class="items">
        {first.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {total > first.length ? <p class="muted">and {total - first.length} more</p> : null}
    </>
  );
}

interface BarProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly tone?: 'plain' | 'bad';
}

/** How far something is. The words beside it say the same in numbers. */
export function Bar({ label, value, max, tone = 'plain' }: BarProps) {
  return <progress class={tone} aria-label={label} value={Math.min(value, max)} max={Math.max(max, 1)} />;
}
