import type { Command } from 'commander';
import type { AdminOptions } from '../../config/admin-options.ts';
import { OperatorError } from '../../service/operator/operator-error.ts';
import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import { adminCommand, adminGroup, withOperator } from './admin-command.ts';

type MarkOptions = AdminOptions & {
  readonly public?: boolean;
  readonly archived?: boolean;
  readonly dataset?: string | false;
};

/** Marks that only the operator sets: on files, and on apps. */
export function addMarkCommands(admin: Command): void {
  const files = adminGroup(
    admin,
    'files',
    'Mark files as public, archived, or of a dataset. A marked file cannot be exported.',
  );
  adminCommand(files, 'mark', { description: 'Set or take away the marks of files.' })
    .argument('<id...>', 'ids of files')
    .option('--public', 'everybody may read and copy the file')
    .option('--no-public', 'only members of its project may')
    .option('--archived', 'the file cannot be copied either')
    .option('--no-archived', 'the file is not archived')
    .option('--dataset <name>', 'the file belongs to this hosted dataset')
    .option('--no-dataset', 'the file belongs to no dataset')
    .action(mark);
  const apps = adminGroup(admin, 'apps', 'Choose the apps that everybody sees.');
  for (const [name, description, isPublic] of [
    ['publish', 'Show an app to everybody, who may copy it.', true],
    ['unpublish', 'Show an app to the members of its project only.', false],
  ] as const) {
    adminCommand(apps, name, { description })
      .argument('<id>', 'OWNER/PROJECT/APP')
      .action((id: string, options: AdminOptions) => publish(id, isPublic, options));
  }
}

async function mark(ids: readonly string[], options: MarkOptions): Promise<void> {
  const { public: isPublic, archived, dataset, json } = options;
  if (isPublic === undefined && archived === undefined && dataset === undefined) {
    throw new CliError(
      'usage',
      'say which mark: --public, --archived, --dataset NAME, or --no-… to take one away',
    );
  }
  const marks = { public: isPublic, archived, dataset: dataset === false ? null : dataset };
  const marked: string[] = [];
  const failures: string[] = [];
  await withOperator(options, async ({ operator }) => {
    for (const id of ids) {
      try {
        await operator.markFile(id, marks);
        marked.push(id);
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        failures.push(error.message);
      }
    }
  });
  if (json) printJson({ ids: marked, ...marks });
  else if (marked.length > 0) console.log(`marked ${marked.join(' ')}`);
  if (failures.length > 0) throw new CliError('refused', failures.join('\n'));
}

async function publish(id: string, isPublic: boolean, options: AdminOptions): Promise<void> {
  await withOperator(options, ({ operator }) => operator.publishApp(id, { public: isPublic }));
  if (options.json) printJson({ id, public: isPublic });
  else console.log(isPublic ? `${id} is public` : `${id} is seen by members only`);
}
