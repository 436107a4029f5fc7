import { Argument, type Command, Option } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { FORMATS } from '../../metadata/table.ts';
import { wrapped } from '../describe/help-format.ts';
import type { EditOptions } from '../metadata/edit-table.ts';
import type { ExportOptions } from '../metadata/export-files.ts';
import type { SendingOptions, TableOptions } from '../metadata/import-table.ts';
import { addPairCommands } from '../metadata/pair-commands.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
A table has a row for each file and a column for each metadata key. Export it, change it with awk, a spreadsheet or an
editor, and import it: only cells that differ are sent, 100 files a request.

  svc.id svc.path svc.size svc.tags svc.base    what the platform knows of the file
  any other column                              a metadata key

Only tags (a JSON array) and metadata can be changed. A column or row that is left out is left alone, and so is a blank cell;
__DELETE__ erases the pair, __EMPTY__ is the empty value. A key that begins with svc. is written svc%2E.

TSV has the escapes of jq's @tsv (\\t \\n \\r \\\\) and no quotes, so that cut, awk and sort work on it. CSV is for spreadsheets
(RFC 4180). JSON Lines have {"svc":{...},"metadata":{...}} a line, of which null erases.

A PATH is in a mount, or project:owner/name/path without one, by the profile. Folders themselves have no metadata.

Examples:
  svcfs meta export -r ~/svc/projects/me/study > t.tsv
  svcfs meta diff t.tsv
  svcfs meta import t.tsv
  svcfs meta set sample_id=P042 reviewed=yes *.bam
  svcfs meta import SampleSheet.csv --key Sample_ID=sample_id --in ~/svc/projects/me/study`;

const IMPORT_DETAILS = `
Every row is checked before anything is sent: that the file is there, that you may write, the limits of the platform, and
values that a spreadsheet changed by itself (007 to 7, SEPT2 to 2-Sep), which --accept takes. One bad row, and nothing is
sent.

svc.base tells that somebody else changed a file since the export. Such a row is a conflict and not sent, unless --base gives
the table as it was exported: then each cell that only you changed is sent. --force overwrites. Between the last look and the
change somebody may still come in between: the platform has no lock.

The platform cannot change many files as one. After an interruption, run the same command again: what is done is unchanged
then. The old values are written beside the table first, for svcfs meta undo.

With --key COLUMN=KEY the table is a sample sheet: each file below --in whose pair KEY equals a row's COLUMN, byte for byte,
gets the other columns of that row. Illumina's SampleSheet.csv is taken as it is.

The platform is that of --in, else that of the mount that the working directory is in, or the only one there is, else that of
the profile. Exit code 1 says that some files could not be changed, 2 that the table cannot be used.`;

const DIFF_DETAILS = `
Prints a line for each cell that an import would change, with its old and new value, after all checks of an import. Sends
nothing. Exit code 0 says that nothing differs, 1 that something does, 2 that the table cannot be used.`;

export function addMetaCommand(program: Command): void {
  const meta = program
    .command('meta')
    .summary('metadata and tags of many files, as a table')
    .description('Show and change metadata and tags of many files, as a table.')
    .addHelpText('after', wrapped(DETAILS));
  addExport(meta);
  addDiff(meta);
  addImport(meta);
  addUndo(meta);
  addEdit(meta);
  addPairCommands(meta);
}

function addExport(meta: Command): void {
  const command = meta
    .command('export')
    .summary('print the table of files')
    .description('Print the table of the files in folders, or of files.')
    .argument('<path...>', 'files or folders, in a mount or as project:owner/name/path')
    .option('-r, --recursive', 'also of all folders below', false)
    .addOption(new Option('--format <format>', 'format of the table').choices(FORMATS).default('tsv'));
  withPlatform(command).action(async (paths: string[], options: ExportOptions & PlatformOptions) => {
    const { exportFiles } = await import('../metadata/export-files.ts');
    await exportFiles(paths, options, contextOf(options, command));
  });
}

function addDiff(meta: Command): void {
  const command = meta
    .command('diff')
    .summary('tell what importing a table would change')
    .description('Tell what importing a table would change.')
    .addArgument(tableArgument());
  withPlatform(withTable(command))
    .addHelpText('after', wrapped(DIFF_DETAILS))
    .action(async (table: string, options: TableOptions & PlatformOptions) => {
      const { diffTable } = await import('../metadata/diff-table.ts');
      await diffTable(table, options, contextOf(options, command));
    });
}

function addImport(meta: Command): void {
  const command = meta
    .command('import')
    .summary('make files as a table says')
    .description('Give files the metadata and tags of a table.')
    .addArgument(tableArgument());
  withPlatform(withSending(withTable(command)))
    .addHelpText('after', wrapped(IMPORT_DETAILS))
    .action(async (table: string, options: TableOptions & SendingOptions & PlatformOptions) => {
      const { importTable } = await import('../metadata/import-table.ts');
      await importTable(table, options, contextOf(options, command));
    });
}

function addUndo(meta: Command): void {
  const command = meta
    .command('undo')
    .summary('take an import back')
    .description('Take an import back, by the table that it wrote. What others changed since is left alone.')
    .argument('<file>', 'the table that the import named, or - for the standard input')
    .option('--force', 'overwrite what others changed since', false);
  withPlatform(withSending(command)).action(
    async (table: string, options: Pick<TableOptions, 'force'> & SendingOptions & PlatformOptions) => {
      const { importTable, UNDOING } = await import('../metadata/import-table.ts');
      await importTable(table, { ...UNDOING, ...options }, contextOf(options, command));
    },
  );
}

function addEdit(meta: Command): void {
  const command = meta
    .command('edit')
    .summary('edit the table of files in an editor')
    .description(
      'Open the table of files in $VISUAL or $EDITOR, and import it. A blank cell erases the pair.',
    )
    .argument('<path...>', 'files or folders, in a mount or as project:owner/name/path')
    .option('-r, --recursive', 'also of all folders below', false)
    .option('-y, --yes', 'change the files without a question', false);
  withPlatform(command).action(async (paths: string[], options: EditOptions & PlatformOptions) => {
    const { editTable } = await import('../metadata/edit-table.ts');
    await editTable(paths, options, contextOf(options, command));
  });
}

function tableArgument(): Argument {
  return new Argument('<file>', 'the table, or - for the standard input');
}

function withTable(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'format of the table')
        .choices(FORMATS)
        .default(undefined, 'by the end of its name, else tsv'),
    )
    .option('--in <path>', 'folder or project that paths in the table begin in, and whose files --key joins')
    .option(
      '--key <column=key>',
      'the table is a sample sheet: its column, and the metadata key that equals it',
    )
    .option('--base <file>', 'the table as it was exported, for a merge by cell')
    .addOption(
      new Option('--blank <what>', 'whether a blank cell leaves the pair alone, or erases it')
        .choices(['keep', 'erase'])
        .default('keep'),
    )
    .option('--force', 'overwrite what others changed since the export', false)
    .option('--accept', 'take values that look as if a spreadsheet had changed them', false)
    .option(
      '--follow-path',
      'take the file that has the path now, when the one of the id was replaced',
      false,
    );
}

function withSending(command: Command): Command {
  return command
    .option('--results <file>', 'write what became of each row; the table can be imported again')
    .option('--undo <file>', 'where the old values are written (default: beside the table)')
    .option('--no-undo', 'write no old values');
}
