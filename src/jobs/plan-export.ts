import type { FileRecord } from '../api/model.ts';
import { isAliasOf } from './is-alias-of.ts';
import { type ExportPlan, type Plan, refused, type SourceContents } from './plan.ts';
import type { TransferSource } from './ports.ts';
import { refusalOfLocation, refusalOfVolume, type VolumeTarget } from './refusals.ts';
import { linkPairOf } from './symbolic-link.ts';

export interface ExportWish {
  readonly source: Extract<TransferSource, { kind: 'file' | 'folder' }>;
  readonly target: VolumeTarget;
  readonly overwrite: boolean;
  /** The source keeps its content. */
  readonly copyOnly: boolean;
}

/**
 * One export for each file, or none at all: when one of them may not be exported, or not under its name, nothing is
 * sent. An alias that already points at its location is done, so that a half-done move of a folder can be made again.
 */
export function planExport(wish: ExportWish, contents: SourceContents): Plan {
  const { source, target, overwrite, copyOnly } = wish;
  const refusal = refusalOfVolume(target) ?? refusalOfLocation(target.location) ?? refusalOfPermission(wish);
  if (refusal) {
    return refusal;
  }
  const files = source.kind === 'file' ? [{ path: '', file: source.file }] : contents.files;
  const exports: ExportPlan[] = [];
  const done: FileRecord[] = [];
  for (const { path, file } of files) {
    const location = path === '' ? target.location : `${target.location}/${path}`;
    if (isAliasOf(file, { volume: target.volume, location })) {
      done.push(file);
      continue;
    }
    const badLocation = refusalOfLocation(location);
    if (badLocation) {
      return badLocation;
    }
    const reason = whyNotExportable(file);
    if (reason !== undefined) {
      return refused('not-exportable', `${path === '' ? file.name : path}: ${reason}`);
    }
    exports.push({ path, file: file.id, volume: target.volume, location, overwrite });
  }
  const nothingToDo = source.kind === 'file' && exports.length === 0;
  return nothingToDo ? { kind: 'unchanged' } : { kind: 'exports', exports, copyOnly, done };
}

/** Public and archived files cannot be told from others beforehand: the platform answers 9006 for them. */
export function whyNotExportable(file: FileRecord): string | undefined {
  if (file.storage.kind === 'volume') {
    const { volume, location } = file.storage;
    return `an alias cannot be exported; its content is already on a volume, ${volume} at ${location}`;
  }
  if (file.originDataset !== undefined) {
    return `a file of the hosted dataset ${file.originDataset} cannot be exported`;
  }
  if (linkPairOf(file) !== undefined) {
    return 'it is a symbolic link, which a volume cannot keep: remove it, or put the file it points to in its place';
  }
  return undefined;
}

/** A plain export deletes the content of its source; one with `copy_only` just reads it. */
function refusalOfPermission({ source, copyOnly }: ExportWish): Plan | undefined {
  const needed = copyOnly ? 'copy' : 'write';
  return source.permissions[needed]
    ? undefined
    : refused('no-permission', `exporting needs ${needed} permission on the project`);
}
