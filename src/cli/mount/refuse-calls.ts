import { CALLS, type PlatformCall, type SentOptions } from '../calls/calls.ts';

/** As the options of the mount say. */
export interface WhatMayChange {
  readonly readOnly: boolean;
  /** False with `--no-delete`, and `--no-overwrite`. */
  readonly deletes: boolean;
  readonly overwrites: boolean;
  /** With `--trash`: what is removed or replaced is moved, which these calls do not do. */
  readonly keepsTrash: boolean;
}

/** Why the mount makes no such call, if so. */
export function refusalOfCall(
  call: PlatformCall,
  options: SentOptions,
  { readOnly, deletes, overwrites, keepsTrash }: WhatMayChange,
): string | undefined {
  if (readOnly && CALLS[call.name].changes) return 'this mount is read-only (--read-only)';
  if (!deletes && removes(call)) return 'this mount removes nothing (--no-delete)';
  if (!overwrites && replaces(call, options))
    return 'this mount replaces no file (--no-overwrite): -n leaves those that are there alone';
  if (keepsTrash && (removes(call) || replaces(call, options))) return KEEPS_TRASH;
  return undefined;
}

const KEEPS_TRASH =
  'this mount keeps what is removed or replaced (--trash), and this would delete it for good: use cp(1) or mv(1) in it, or ' +
  'name the path as project:owner/name/…, without the mount';

function removes({ name, args: [kind] }: PlatformCall): boolean {
  return (
    name === 'projects.delete' ||
    name === 'files.delete' ||
    name === 'files.bulkDelete' ||
    (name === 'asyncFiles.start' && kind === 'delete')
  );
}

function replaces({ name, args: [what] }: PlatformCall, { overwrite }: SentOptions): boolean {
  if (overwrite === true) return true;
  if (name === 'transfers.startImports' || name === 'transfers.startExports')
    return (what as readonly { readonly overwrite: boolean }[]).some((each) => each.overwrite);
  const isUpload = name === 'uploads.initialise' || name === 'uploads.inline';
  return isUpload && (what as { readonly overwrite: boolean }).overwrite;
}
