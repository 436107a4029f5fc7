import { expect, it } from 'vitest';
import { UploadNotices } from '../../../../../src/cli/mount/notice/upload-notices.ts';
import type { AsideFile, UploadProgress } from '../../../../../src/content/ports.ts';

const MIB = 1024 * 1024;
const upload = (label: string, state: UploadProgress['state'], error?: string): UploadProgress => ({
  label,
  uploadId: undefined,
  sizeBytes: MIB,
  storedBytes: 0,
  sentBytes: 0,
  partsInFlight: 0,
  state,
  error,
});

const aside = (id: string): AsideFile => ({
  id,
  label: `/p/${id}`,
  path: `/kept/${id}`,
  reason: 'no such folder',
  acknowledged: true,
});

/** What is told at looks every five seconds. */
async function toldAt(
  looks: readonly (readonly UploadProgress[])[],
  asideAt: (look: number) => readonly AsideFile[] = () => [],
): Promise<readonly string[]> {
  let now = 0;
  const told: string[] = [];
  const notices = new UploadNotices(async () => asideAt(now));
  for (const uploads of looks) {
    const notice = await notices.look(uploads, now * 5000);
    if (notice !== undefined) told.push(`${now} ${notice.urgency}: ${notice.title}: ${notice.body}`);
    now += 1;
  }
  return told;
}

const busy = (count: number, from = 0): readonly UploadProgress[] =>
  Array.from({ length: count }, (_, index) => upload(`/p/${from + index}`, 'publishing'));

it('a thousand files are one notice, when they have all ended', async () => {
  const looks = [busy(1000), busy(600, 400), busy(1, 999), [], [], [], []];
  expect(await toldAt(looks)).toEqual(['4 normal: 1000 files uploaded: 1000 MiB']);
});

it('a gap between two files ends nothing, and what is short is not told', async () => {
  expect(await toldAt([busy(1), [], busy(1, 1), busy(1, 1), [], []])).toEqual([
    '5 normal: 2 files uploaded: 2 MiB',
  ]);
  expect(await toldAt([busy(1), busy(1), [], []])).toEqual([]);
});

it('a file that cannot be uploaded is told once, with the reason, and again when it fails anew', async () => {
  const failed = [upload('/p/a', 'failed', 'no such project')];
  const looks = [busy(1), failed, failed, failed, busy(1), [], [], failed, failed];
  expect(await toldAt(looks)).toEqual([
    '2 critical: 1 file not uploaded: /p/a: no such project',
    '7 critical: 1 file not uploaded: /p/a: no such project',
  ]);
});

it('a file that was refused and is kept aside is not told as uploaded', async () => {
  const looks = [busy(1), busy(1), busy(1), [], [], [], []];
  expect(await toldAt(looks, (look) => (look < 3 ? [aside('9')] : [aside('9'), aside('0')]))).toEqual([
    '4 critical: 1 file not uploaded: /p/0: no such folder',
  ]);
});
