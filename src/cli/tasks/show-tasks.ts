import type { TaskRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { printExactly } from '../../lib/exact-json.ts';
import { printable } from '../../lib/printable.ts';
import { parsePlatformPath } from '../../places/platform-path.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import type { Platform } from '../platform/platform.ts';

export interface ListOptions {
  readonly status: string | undefined;
  readonly limit: number;
  readonly json: boolean;
}

/** The project of a command line: `owner/name`, `project:owner/name`, or a path in it in a mount. */
export async function projectOf(given: string): Promise<string> {
  const inMount = (await locate(given))?.path.split('/').slice(1) ?? [];
  const [root, owner, name] = inMount;
  if ((root === 'projects' || root === 'tasks') && owner && name) return `${owner}/${name}`;
  const path = parsePlatformPath(given.startsWith('project:') ? given : `project:${given}`);
  if (path === undefined || path.names.length > 0)
    throw new CliError('usage', `${given}: no project: write OWNER/NAME, or its directory in a mount`);
  return path.project;
}

/** Prints the newest tasks of a project, or of all. */
export async function listTasks(
  project: string | undefined,
  { status, limit, json }: ListOptions,
  { api }: Platform,
): Promise<void> {
  for (let offset = 0; offset < limit; offset += PAGE_LIMIT_MAX) {
    const page = { offset, limit: Math.min(PAGE_LIMIT_MAX, limit - offset) };
    const { items, total } = await api.tasks.list({ project, status }, page);
    for (const task of items) console.log(json ? printExactly(task.wire) : lineOf(task));
    if (offset + PAGE_LIMIT_MAX >= total) return;
  }
}

function lineOf({ id, status, createdMs, project, name }: TaskRecord): string {
  return `${id}  ${status.padEnd(9)}  ${timeOf(createdMs).padEnd(20)}  ${project}  ${printable(name)}`;
}

/** As people read it, or the answer of the platform. */
export function showTask(task: TaskRecord, json: boolean): void {
  if (json) {
    console.log(printExactly(task.wire, 2));
    return;
  }
  const lines: (readonly [string, string])[] = [
    ['id', task.id],
    ['name', task.name],
    ['status', task.status],
    ['message', task.message],
    ['project', task.project],
    ['app', task.app],
    ['created', `${timeOf(task.createdMs)} ${task.createdBy ?? ''}`.trim()],
    ['started', timeOf(task.startedMs)],
    ['ended', timeOf(task.endedMs)],
    ['price', task.price === undefined ? '-' : `${task.price.amount} ${task.price.currency}`],
    ...task.errors.map((error) => ['error', error] as const),
    ...valuesOf('input', task.inputs),
    ...valuesOf('output', task.outputs),
  ];
  for (const [label, value] of lines) console.log(`${label.padEnd(8)}  ${printable(value)}`);
}

function valuesOf(
  label: string,
  values: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  return Object.entries(values).map(([port, value]) => [label, `${port} = ${printExactly(value)}`] as const);
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? '-' : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
