import { expect, it } from 'vitest';
import { parseBucketPlace } from '../../../src/config/s3-options.ts';

it.each([
  ['s3://lab-blobs', 'lab-blobs', ''],
  ['s3://lab-blobs/', 'lab-blobs', ''],
  ['s3://lab.blobs/a//b/', 'lab.blobs', 'a/b'],
])('%s is a bucket and a prefix', (text, bucket, prefix) => {
  expect(parseBucketPlace(text)).toEqual({ bucket, prefix });
});

it.each(['lab-blobs', 's3:/lab', 's3://', 's3://-x/y', 's3://lab/../x', 'https://s3.example.org/lab'])(
  '%s is none',
  (text) => expect(() => parseBucketPlace(text)).toThrow('s3://lab-blobs/svcfs'),
);
