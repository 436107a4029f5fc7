import type { Api } from '../../../api/api.ts';
import type { ExecutedTool } from '../../../api/model.ts';
import type { ShownValue } from '../../../tasks/shown-values.ts';
import type { SyntheticDirectory } from '../../model/synthetic.ts';
import type { FilePaths } from './file-paths.ts';
import { valueDirectory } from './value-directory.ts';

interface LogsParts {
  readonly api: Pick<Api, 'tasks'>;
  readonly id: string;
  readonly paths: Pick<FilePaths, 'of'>;
  readonly depth: number;
  readonly ttlMs: number;
  readonly looked: () => void;
  readonly mtimeMs: () => number | undefined;
}

/** `<tool>/<log>`: links to the logs of the tools that a task ran. They are asked for when a program looks into it. */
export function logsDirectory({
  api,
  id,
  paths,
  depth,
  ttlMs,
  looked,
  mtimeMs,
}: LogsParts): SyntheticDirectory {
  let asked: Promise<ReadonlyMap<string, ShownValue>> | undefined;
  const read = (signal: AbortSignal): Promise<ReadonlyMap<string, ShownValue>> => {
    asked ??= api.tasks.executedTools(id, { signal }).then(byTool);
    asked.catch(() => {
      asked = undefined;
    });
    return asked;
  };
  return valueDirectory({ read, paths, depth, common: { entriesTtlMs: ttlMs, looked, mtimeMs } });
}

/** Tools of one name, as the parts of a scattered step, are numbered from the second on. */
function byTool(tools: readonly ExecutedTool[]): ReadonlyMap<string, ShownValue> {
  const shown = new Map<string, ShownValue>();
  for (const { name, logs } of tools) {
    const files = Object.entries(logs).map(([log, file]): [string, ShownValue] => [
      log,
      { kind: 'link', file, name: log },
    ]);
    let unique = name || 'tool';
    for (let count = 2; shown.has(unique); count += 1) unique = `${name || 'tool'}~${count}`;
    shown.set(unique, { kind: 'directory', values: new Map(files) });
  }
  return shown;
}
