import { open } from 'node:fs/promises';
import type { Api } from '../../../api/api.ts';
import type { PartReport } from '../../../api/model.ts';
import { md5Hex } from '../../../lib/md5.ts';
import { readAll } from '../../../lib/read-all.ts';
import type { ByteRange } from '../../byte-range.ts';
import { type DraftState, layoutOf, type SentPart, type UploadState } from '../journal/journal-entry.ts';
import { partCount, partRange } from '../parts/part-plan.ts';
import { ExtentMap } from '../spool/extent-map.ts';

/** A mount begins without knowing rather than late: what is not known to be there goes again. */
const LOOK_MS = 5000;

/**
 * The parts of an upload that need not be sent again: those of the journal, and those that the service reports and whose
 * bytes in the spool are the same. The journal may have lost that a part was sent, or that it changed since.
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
  const lastPart = Math.max(
    upload.lastPart ?? 0,
    // Its publication was asked for: any of them may have been sent, though nobody tells.
    partCount(new ExtentMap(state.extents).sizeBytes, layoutOf(upload)),
    ...(answer?.parts.map(({ partNumber }) => partNumber) ?? []),
  );
  const unknown = answer?.parts.filter(({ partNumber }) => !known.has(partNumber)) ?? [];
  const same = await sameAsSpooled(spooledParts(unknown, upload, state), spoolPath);
  return { ...upload, parts: [...upload.parts, ...same], lastPart };
}

interface SpooledPart extends PartReport {
  readonly range: ByteRange;
}

/** Those of which every byte is in the spool. */
function spooledParts(
  reports: readonly PartReport[],
  upload: UploadState,
  { extents }: DraftState,
): readonly SpooledPart[] {
  const map = new ExtentMap(extents);
  const layout = layoutOf(upload);
  return reports.flatMap((report) => {
    const range = partRange(report.partNumber, map.sizeBytes, layout);
    const sizeBytes = range.end - range.start;
    const isSpooled = sizeBytes > 0 && map.localBytesIn(range.start, range.end) === sizeBytes;
    return isSpooled ? [{ ...report, range }] : [];
  });
}

async function sameAsSpooled(parts: readonly SpooledPart[], spoolPath: string): Promise<readonly SentPart[]> {
  // A draft of holes alone has no spool.
  if (parts.length === 0) return [];
  const same: SentPart[] = [];
  const spool = await open(spoolPath, 'r');
  try {
    for (const { partNumber, etag, range } of parts) {
      const sizeBytes = range.end - range.start;
      const bytes = new Uint8Array(sizeBytes);
      const bytesRead = await readAll(spool, bytes, range.start);
      if (bytesRead !== sizeBytes || (await md5Hex(bytes)) !== etag.toLowerCase()) continue;
      same.push({ partNumber, etag, sizeBytes });
    }
    return same;
  } finally {
    await spool.close();
  }
}
