import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import {
  TRASH_EMPTY_OPTIONS,
  TRASH_LIST_OPTIONS,
  TRASH_RESTORE_OPTIONS,
  type TrashEmptyOptions,
  type TrashListOptions,
  type TrashRestoreOptions,
} from '../../config/trash-options.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
svcfs mount --trash DAYS moves what is removed or replaced to .svcfs-trash/DAY/PATH of its project. Folders do not list
.svcfs-trash, and find it by its name. Members of the project see it on the platform, and it takes room there. Only a running
mount with --trash empties it, once a day, in the projects that a program has looked into; svcfs trash empty does so at once.

A path is one in a mount, or project:owner/name/path: of a project, of a file or folder before it was removed, or in
.svcfs-trash. Of several files of one path, restore takes the one that was removed last, unless the path in the trash names
another.

Examples:
  svcfs trash list ~/svc/projects/me/study
  svcfs trash restore ~/svc/projects/me/study/run7
  svcfs trash restore project:me/study/.svcfs-trash/2026-11-28/run7
  svcfs trash empty --older-than 7d ~/svc/projects/me/study`;

export function addTrashCommand(program: Command): void {
  const trash = program
    .command('trash')
    .summary('list, restore and empty what was removed (--trash)')
    .description('List, restore and delete for good what a mount with --trash removed.')
    .addHelpText('after', wrapped(DETAILS));
  const list = trash
    .command('list')
    .description('List the files in the trash, with their sizes and the paths that they have there.')
    .argument('<path...>', 'a project, or a path in one');
  withPlatform(addOptions(list, TRASH_LIST_OPTIONS)).action(
    async (paths: string[], options: TrashListOptions & PlatformOptions) =>
      (await import('../trash/list-trash.ts')).listTrash(paths, options, contextOf(options, list)),
  );
  const restore = trash
    .command('restore')
    .description('Put files back where they were, with id, tags and metadata.')
    .argument('<path...>', 'a path before the removal, or in the trash');
  withPlatform(addOptions(restore, TRASH_RESTORE_OPTIONS)).action(
    async (paths: string[], options: TrashRestoreOptions & PlatformOptions) =>
      (await import('../trash/restore-trash.ts')).restoreTrash(paths, options, contextOf(options, restore)),
  );
  const empty = trash
    .command('empty')
    .description('Delete for good what is in the trash. On a terminal it says how much that is, and asks.')
    .argument('<path...>', 'a project, or a path in one');
  withPlatform(addOptions(empty, TRASH_EMPTY_OPTIONS)).action(
    async (paths: string[], options: TrashEmptyOptions & PlatformOptions) =>
      (await import('../trash/empty-trash.ts')).emptyTrash(paths, options, contextOf(options, empty)),
  );
}
