import { expect, it } from 'vitest';
import {
  bucketFileId,
  bucketFileOf,
  bucketFolderId,
  bucketUploadId,
  bucketUploadOf,
  volumeOfFolder,
} from '../../../../src/api/buckets/bucket-ids.ts';

const LOCATION = 'a//b/c:d /%2F';

it.each([undefined, { ifAbsent: true }, { ifEtag: 'e/1-2' }] as const)(
  'an upload is read as it was written, whatever is in its key (%o)',
  (condition) => {
    const upload = { volume: 'lab/data', uploadId: '2~a/b', condition, location: LOCATION };
    expect(bucketUploadOf(bucketUploadId(upload))).toEqual(upload);
  },
);

it('a file and a folder are read as they were written', () => {
  const file = { volume: 'lab/data', etag: 'e/1-2', location: LOCATION };
  expect(bucketFileOf(bucketFileId(file))).toEqual(file);
  expect(volumeOfFolder(bucketFolderId('lab/data'))).toBe('lab/data');
});

it('ids of the platform are none of a bucket', () => {
  const id = '5f8a0b1c2d3e4f5061728394';
  expect([bucketUploadOf(id), bucketFileOf(id), volumeOfFolder(id)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
