import { filesOf, type ShownValue } from '../../../tasks/shown-values.ts';
import { shownName } from '../../model/escape.ts';
import type { SyntheticDirectory, SyntheticEntry } from '../../model/synthetic.ts';
import { file, link } from '../../synthetic/entries.ts';
import type { FilePaths } from './file-paths.ts';

type Values = ReadonlyMap<string, ShownValue>;

export interface ValueDirectoryParts {
  /** The values as they are now. @throws ESTALE when the task is gone */
  readonly read: (signal: AbortSignal) => Promise<Values>;
  readonly paths: Pick<FilePaths, 'of'>;
  /** How many levels it is below the top of the mount. */
  readonly depth: number;
  readonly common: {
    readonly entriesTtlMs: number;
    readonly looked: () => void;
    readonly mtimeMs: () => number | undefined;
  };
}

/** Values of a task. Files are looked for when a program looks at their links, and not when it lists them. */
export function valueDirectory({ read, paths, depth, common }: ValueDirectoryParts): SyntheticDirectory {
  const { entriesTtlMs, looked } = common;
  const entryOf = async (
    name: string,
    value: ShownValue,
    all: Values,
    signal: AbortSignal,
  ): Promise<SyntheticEntry> => {
    switch (value.kind) {
      case 'text':
        return file(() => value.text, { mtimeMs: common.mtimeMs(), looked });
      case 'link': {
        const path = await paths.of(value.file, filesOf(all), signal);
        return link(path === undefined ? lost(value) : `${'../'.repeat(depth)}${path}`, {
          mtimeMs: common.mtimeMs(),
        });
      }
      case 'directory': {
        const inner = async (aborted: AbortSignal): Promise<Values> => {
          const now = byShownName(await read(aborted)).get(name);
          return now?.kind === 'directory' ? now.values : new Map();
        };
        return valueDirectory({ read: inner, paths, depth: depth + 1, common });
      }
    }
  };
  return {
    kind: 'directory',
    entriesTtlMs,
    looked,
    get mtimeMs() {
      return common.mtimeMs();
    },
    lookup: async (name, signal) => {
      const values = await read(signal);
      const value = byShownName(values).get(name);
      return value && entryOf(name, value, values, signal);
    },
    list: async (_, signal) => ({
      names: [...byShownName(await read(signal))].map(([name, { kind }]) => ({
        name,
        kind: kind === 'text' ? 'file' : kind,
      })),
    }),
  };
}

function byShownName(values: Values): Values {
  return new Map([...values].map(([name, value]) => [shownName(name, 'entry'), value]));
}

/** Where nothing is: the file was deleted, or the user cannot see it. */
function lost({ file: id, name }: { readonly file: string; readonly name: string }): string {
  return `gone/${id}/${shownName(name, 'entry')}`;
}
