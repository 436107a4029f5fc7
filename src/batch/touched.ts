import type { Item } from './item.ts';
import type { Step } from './step.ts';

/** A name in a folder or a level of a volume, which means something else after a step. */
export interface Touched {
  readonly directory: { readonly folder: string } | { readonly volume: string; readonly prefix: string };
  readonly name: string;
}

/** The names that the items of a step have changed. */
export function touchedBy(step: Step, items: readonly Item[]): readonly Touched[] {
  const touched: Touched[] = [];
  const inFolder = (parent: string | undefined, name: string): void => {
    if (parent !== undefined) touched.push({ directory: { folder: parent }, name });
  };
  const ours = new Set(items);
  switch (step.kind) {
    case 'folders':
    case 'import':
    case 'take-names':
    case 'upload':
      for (const item of step.items) if (ours.has(item)) inFolder(item.to.parent.id, item.to.name);
      break;
    case 'delete':
    case 'leftovers':
      for (const item of step.items) if (ours.has(item)) inFolder(item.from.parent, item.from.name);
      break;
    case 'job':
    case 'single':
      for (const item of step.items) {
        if (!ours.has(item)) continue;
        if (step.operation !== 'copy') inFolder(item.from.parent, item.from.name);
        if ('to' in item) inFolder(item.to.parent.id, item.to.name);
      }
      break;
    case 'local-folders':
    case 'download':
      break;
    case 'export':
      for (const item of step.items)
        if (ours.has(item)) touched.push(...levelsOf(item.volume, item.location));
      break;
  }
  return touched;
}

/** An object appears under its key, and may bring each level above it into being. */
function levelsOf(volume: string, location: string): readonly Touched[] {
  const names = location.split('/');
  return names.map((name, depth) => ({
    directory: {
      volume,
      prefix: names
        .slice(0, depth)
        .map((each) => `${each}/`)
        .join(''),
    },
    name,
  }));
}
