import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sameContent } from '../../../../src/content/local/same-content.ts';
import type { ReadRange } from '../../../../src/content/write/upload/same-bytes.ts';

const MIB = 1024 * 1024;
const content = Buffer.alloc(11 * MIB, 'abcdefg');
const changed = Buffer.from(content);
changed[10 * MIB] = 0;

const of =
  (bytes: Buffer): ReadRange =>
  ({ start, end }) => ({ chunks: [bytes.subarray(start, end)] });
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();
const inParts = (...parts: Buffer[]) =>
  `${md5(Buffer.concat(parts.map(md5))).toString('hex')}-${parts.length}`;

/** Whether they are found to be the same, and how much of the remote one was read for that. */
async function compare(local: Buffer, remote: Buffer, etag: string | undefined) {
  let readBytes = 0;
  const read: ReadRange = (range) => {
    readBytes += range.end - range.start;
    return of(remote)(range);
  };
  return { same: await sameContent(local.length, of(local), { etag, read }), readBytes };
}

test.each([
  ['of the whole', md5(content).toString('hex')],
  ['of parts of 8 MiB', inParts(content.subarray(0, 8 * MIB), content.subarray(8 * MIB))],
  ['of parts of 5 MiB', inParts(...[0, 5, 10].map((at) => content.subarray(at * MIB, (at + 5) * MIB)))],
])('an MD5 %s tells without the bytes', async (_, etag) => {
  expect(await compare(content, content, etag)).toEqual({ same: true, readBytes: 0 });
});

test.each([
  ['there is none', undefined],
  ['it is something else', '65aa01'],
  ['it looks like another MD5', '0cc175b9c0f1b6a831c399e269772661'],
  ['it is of parts of a strange size', inParts(content.subarray(0, 7 * MIB), content.subarray(7 * MIB))],
])('the bytes tell when %s', async (_, etag) => {
  expect(await compare(content, content, etag)).toEqual({ same: true, readBytes: content.length });
  expect(await compare(content, changed, etag)).toEqual({ same: false, readBytes: content.length });
});
