import type { Command } from 'commander';
import { AUDIT_OPTIONS, type AuditOptions } from '../../config/admin-options.ts';
import type { Moment } from '../../config/option-text.ts';
import type { AuditRow } from '../../service/operations/audit/audit-table.ts';
import { wrapped } from '../describe/help-format.ts';
import { type Columns, printJson, printTable, shownTime } from '../describe/print-table.ts';
import { adminCommand, withOperator } from './admin-command.ts';

const DETAILS = `
Times are UTC, and the newest entry is the last. The log has ids only: names of files are not recorded.

Examples:
  svcfs admin audit --user alice --since 7d
  svcfs admin audit --object 65aa… --json
  svcfs admin audit --action file.delete --since 2027-01-01 --until 2027-02-01 --limit 10000`;

const COLUMNS: Columns<AuditRow> = {
  WHEN: ({ at }) => shownTime(at),
  WHO: ({ username }) => username,
  WHAT: ({ action }) => action,
  OBJECT: ({ object }) => object,
  OUTCOME: ({ status, code }) => (code === null ? String(status) : `${status} ${code}`),
  FROM: ({ address }) => address,
  DETAIL: ({ detail }) => detail,
};

export function addAuditCommand(admin: Command): void {
  adminCommand(admin, 'audit', {
    description: 'Show the audit log: which user did what, when, to which object.',
    options: AUDIT_OPTIONS,
  })
    .addHelpText('after', wrapped(DETAILS))
    .action(audit);
}

async function audit(options: AuditOptions): Promise<void> {
  const { user: username, action, object, since, until, limit, json } = options;
  const rows = await withOperator(options, ({ tables, nowMs }) =>
    tables.audit.list({
      username,
      action,
      object,
      since: since && storedTimeOf(since, nowMs),
      until: until && storedTimeOf(until, nowMs),
      limit,
    }),
  );
  rows.reverse();
  if (json) printJson(rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail ?? 'null') })));
  else printTable(rows, COLUMNS, 'no entries');
}

/** A span is so long ago. */
function storedTimeOf(moment: Moment, nowMs: number): string {
  return new Date(moment.kind === 'at' ? moment.ms : nowMs - moment.ms).toISOString();
}
