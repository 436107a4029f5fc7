import { type FileHandle, open } from 'node:fs/promises';
import type { Api } from '../../api/api.ts';
import type { PartReport } from '../../api/model.ts';
import { md5Hex } from '../../lib/md5.ts';
import { ExtentMap } from './extent-map.ts';
import { type DraftState, layoutOf, type SentPart, type UploadState } from './journal-entry.ts';
import { type PartLayout, partRange } from './part-plan.ts';

/** A mount begins without knowing rather than late: what is not known to be there goes again. */
const LOOK_MS = 5000;

/**
 * The parts of an upload that need not go again: those of the journal, and those that the service has on report and
 * whose bytes in the spool are the same (the journal may have lost that they were sent, or that they changed since).
 */
export async function uniteParts(
  api: Api,
  state: DraftState,
  spoolPath: string,
): Promise<UploadState | undefined> {
  const { upload } = state;
  if (upload === undefined) return undefined;
  const known = new Set(upload.parts.map(({ partNumber }) => partNumber));
  // An upload that is gone is found out when its next part or its completion is sent.
  const answer = await api.uploads
    .reportedParts(upload.ticket.uploadId, { priority: 'data', signal: AbortSignal.timeout(LOOK_MS) })
    .catch(() => undefined);
  const unknown = answer?.parts.filter(({ partNumber }) => !known.has(partNumber)) ?? [];
  if (unknown.length === 0) return upload;
  const spool = await open(spoolPath, 'r');
  try {
    const parts = [...upload.parts];
    for (const report of unknown) {
      const part = await sameAsSpooled(report, { state, layout: layoutOf(upload), spool });
      if (part !== undefined) parts.push(part);
    }
    return { ...upload, parts };
  } finally {
    await spool.close();
  }
}

async function sameAsSpooled(
  { partNumber, etag }: PartReport,
  from: { readonly state: DraftState; readonly layout: PartLayout; readonly spool: FileHandle },
): Promise<SentPart | undefined> {
  const map = new ExtentMap(from.state.extents);
  const range = partRange(partNumber, map.sizeBytes, from.layout);
  const sizeBytes = range.end - range.start;
  if (sizeBytes <= 0 || map.localBytesIn(range.start, range.end) !== sizeBytes) return undefined;
  const bytes = new Uint8Array(sizeBytes);
  const { bytesRead } = await from.spool.read(bytes, 0, sizeBytes, range.start);
  const same = bytesRead === sizeBytes && (await md5Hex(bytes)) === etag.toLowerCase();
  return same ? { partNumber, etag, sizeBytes } : undefined;
}
