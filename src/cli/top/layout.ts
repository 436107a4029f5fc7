/** Pieces of lines that fit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const CUT = '…';

export function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}${CUT}`;
}

/** In the middle: the beginning of a path says where it is, and its end what it is. */
export function cutPath(path: string, width: number): string {
  const letters = [...path];
  if (letters.length <= width) return path;
  const end = Math.ceil((width - 1) * 0.6);
  return `${letters.slice(0, width - 1 - end).join('')}${CUT}${letters.slice(-end).join('')}`;
}

/** To a width; a negative one puts the text at the right. A longer text is cut. */
export function padded(text: string, width: number): string {
  const fitted = cut(text, Math.abs(width));
  const blanks = ' '.repeat(Math.abs(width) - [...fitted].length);
  return width < 0 ? `${blanks}${fitted}` : `${fitted}${blanks}`;
}

/** A heading and rows, in columns of these widths. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): readonly string[] {
  return [heading, ...rows].map((cells) =>
    cells.map((cell, column) => padded(cell, widths[column] ?? 0)).join(' '),
  );
}

/** Two blocks of lines side by side. */
export function beside(left: readonly string[], right: readonly string[], width: number): readonly string[] {
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, row) => `${padded(left[row] ?? '', width)} ${right[row] ?? ''}`);
}

/** `0`, `0.3`, `12`, `1.2k`. */
export function shownRate(perSecond: number): string {
  if (perSecond >= 10_000) return `${(perSecond / 1000).toFixed(1)}k`;
  return perSecond >= 10 || Number.isInteger(perSecond)
    ? String(Math.round(perSecond))
    : perSecond.toFixed(1);
}

/** `40 µs`, `1.2 ms`, `12 ms`, `3.4 s`. */
export function shownMs(ms: number | undefined): string {
  if (ms === undefined) return '-';
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}
