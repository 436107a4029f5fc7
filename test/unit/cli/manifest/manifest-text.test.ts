import { describe, expect, it } from 'vitest';
import { manifestText, parseManifest } from '../../../../src/cli/manifest/manifest-text.ts';

const FILE = { path: 'a/b.bam', id: 'f1', size: 3 };

function textOf(...files: readonly object[]): string {
  return JSON.stringify({ svcfs_manifest: 1, files });
}

describe('a manifest', () => {
  it('is read as it was written', () => {
    const manifest = {
      endpoint: 'https://api.example.org/v2',
      files: [
        {
          path: 'a/b.bam',
          id: 'f1',
          project: 'lab/rna',
          name: 'b.bam',
          sizeBytes: 3,
          modifiedMs: 1_700_000_000_000,
          object: { volume: 'lab/data', location: 'x/"y"', etag: 'e' },
          checksums: { md5: '0'.repeat(32) },
        },
        {
          path: 'c',
          id: undefined,
          project: undefined,
          name: undefined,
          sizeBytes: 0,
          modifiedMs: undefined,
          object: { volume: 'lab/data', location: 'c', etag: undefined },
          checksums: undefined,
        },
      ],
    };
    expect(parseManifest(manifestText(manifest))).toEqual(manifest);
  });

  it('may have more keys, and checksums in capitals', () => {
    const sha256 = 'AB'.repeat(32);
    const { files } = parseManifest(textOf({ ...FILE, comment: 'mine', checksums: { sha256 } }));
    expect(files).toMatchObject([{ checksums: { sha256: 'ab'.repeat(32) } }]);
  });

  it.each([
    ['no JSON', '{', /it is no JSON: /],
    ['another JSON', '{"files":[]}', /it is no manifest of svcfs/],
    ['a later version', '{"svcfs_manifest":2,"files":[]}', /of version 2, and this svcfs reads version 1/],
    ['no files', textOf(), /it names no file/],
    ['no path', textOf({ ...FILE, path: undefined }), /file 1 has no "path"/],
    ['an absolute path', textOf({ ...FILE, path: '/a' }), /file 1 \("\/a"\): the path begins with a slash/],
    ['..', textOf({ ...FILE, path: 'a/../b' }), /the path has "\.\." in it/],
    ['.', textOf({ ...FILE, path: './b' }), /the path has "\." in it/],
    ['an empty name', textOf({ ...FILE, path: 'a//b' }), /a name in the path is empty/],
    ['a zero byte', textOf({ ...FILE, path: 'a\0b' }), /the path has a zero byte in it/],
    ['a long name', textOf({ ...FILE, path: 'é'.repeat(128) }), /a name has at most 255 bytes/],
    ["the mount's own name", textOf({ ...FILE, path: '.svcfs/x' }), /\.svcfs is the mount's own/],
    ['two of one path', textOf(FILE, FILE), /two files have the path "a\/b\.bam"/],
    [
      'a file below a file',
      textOf(FILE, { ...FILE, path: 'a' }),
      /"a" is a file, and has "a\/b\.bam" below it/,
    ],
    ['no size', textOf({ ...FILE, size: -1 }), /"size" is no number of bytes/],
    ['no id', textOf({ ...FILE, id: undefined }), /has no "id", and no "volume" and "location"/],
    ['half an object', textOf({ ...FILE, volume: 'lab/data' }), /one of "volume" and "location" only/],
    ['a wrong time', textOf({ ...FILE, modified_on: 'soon' }), /"modified_on" is no time/],
    [
      'an unknown checksum',
      textOf({ ...FILE, checksums: { sha1: '' } }),
      /unknown checksum sha1: md5, sha256 are known/,
    ],
    ['a wrong checksum', textOf({ ...FILE, checksums: { md5: 'x' } }), /"md5" is no such checksum/],
  ])('is refused with %s', (_, text, message) => {
    expect(() => parseManifest(text)).toThrow(message);
  });
});
