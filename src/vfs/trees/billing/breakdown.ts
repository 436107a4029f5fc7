/** What is spent, as the platform breaks it down. Amounts are the texts that the platform wrote: nothing is calculated. */
import type { PlatformRecord } from '../../../api/api.ts';
import { exactText } from '../../../lib/exact-json.ts';
import { csvLine } from '../../../metadata/format/csv.ts';
import { tsvLine } from '../../../metadata/format/tsv.ts';

export interface ProjectCost {
  /** `owner/project`; undefined where the platform does not tell: the project is gone, or not to be seen. */
  readonly project: string | undefined;
  readonly spent: string | undefined;
  readonly tasks: readonly TaskCost[];
}

interface TaskCost {
  readonly task: string;
  readonly user: string;
  readonly start: string;
  readonly end: string;
  readonly amount: string;
  readonly currency: string;
}

const COLUMNS = ['project', 'task', 'user', 'start', 'end', 'amount', 'currency'];

/** `12.34 USD`; undefined where none is told. */
export function totalOf(breakdown: PlatformRecord): string | undefined {
  return moneyText(breakdown['total_spending']);
}

export function projectsOf(breakdown: PlatformRecord): readonly ProjectCost[] {
  return recordsAt(breakdown, 'project_breakdown').map((each) => ({
    project: projectIn(textAt(each, 'href')),
    spent: moneyText(each['analysis_spending']),
    tasks: recordsAt(each, 'task_breakdown').map(taskCost),
  }));
}

/** A line for each task. */
export function breakdownTable(breakdown: PlatformRecord, format: 'tsv' | 'csv'): string {
  const line = format === 'tsv' ? tsvLine : csvLine;
  const lines = projectsOf(breakdown).flatMap(({ project = '', tasks }) =>
    tasks.map(({ task, user, start, end, amount, currency }) =>
      line([project, task, user, start, end, amount, currency]),
    ),
  );
  return line(COLUMNS) + lines.join('');
}

function taskCost(record: PlatformRecord): TaskCost {
  const { amount, currency } = moneyIn(record['task_cost']);
  return {
    task: lastPart(textAt(record, 'href')),
    user: textAt(record, 'runner_username'),
    start: textAt(record, 'time_started'),
    end: textAt(record, 'time_finished'),
    amount,
    currency,
  };
}

function moneyText(money: unknown): string | undefined {
  const { amount, currency } = moneyIn(money);
  return amount === '' ? undefined : `${amount} ${currency}`.trimEnd();
}

function moneyIn(money: unknown): { readonly amount: string; readonly currency: string } {
  const record = isRecord(money) ? money : {};
  return { amount: exactText(record['amount']) ?? '', currency: exactText(record['currency']) ?? '' };
}

function projectIn(href: string): string | undefined {
  const [, owner, project] = /\/projects\/([^/?#]+)\/([^/?#]+)$/.exec(href) ?? [];
  return owner && project && `${decoded(owner)}/${decoded(project)}`;
}

function lastPart(href: string): string {
  return decoded(href.slice(href.lastIndexOf('/') + 1));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function recordsAt(record: PlatformRecord, key: string): readonly PlatformRecord[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textAt(record: PlatformRecord, key: string): string {
  return exactText(record[key]) ?? '';
}

function isRecord(value: unknown): value is PlatformRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
