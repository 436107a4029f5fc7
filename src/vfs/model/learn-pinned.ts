import type { EntryRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { ProjectFileNode, VolumeObjectNode } from './node.ts';
import { changeOfFile, changeOfObject, type Pin } from './pin.ts';

/** Takes in what the platform tells of a pinned file; undefined: that there is none. A file that changed keeps its pinned facts. */
export function learnPinned(
  node: ProjectFileNode & { readonly pin: Pin },
  record: EntryRecord | undefined,
): void {
  node.pin.change = changeOfFile(node.pin.file, record);
  if (record?.kind === 'file' && node.pin.change === undefined) node.record = record;
}

export function learnPinnedObject(
  node: VolumeObjectNode & { readonly pin: Pin },
  record: VolumeObjectRecord | undefined,
): void {
  const told = record && { etag: record.etag, sizeBytes: record.sizeBytes ?? node.pin.file.sizeBytes };
  node.pin.change = changeOfObject(node.pin.file, told);
}
