import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMd5, md5Hex } from '../../../src/lib/md5.ts';
import { md5Addon } from '../../../src/lib/md5-lanes.ts';
import { run } from '../../support/run.ts';

const LOADER = new URL('../../support/run-typescript.mjs', import.meta.url).href;
const MD5 = new URL('../../../src/lib/md5.ts', import.meta.url).href;
const DIGEST_MANY = fileURLToPath(new URL('../../support/digest-many.ts', import.meta.url));

const expected = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

describe('MD5', () => {
  it('is done by the addon here', () => {
    expect(md5Addon()).toBeDefined();
  });

  it('is right for every length around the ends of blocks, many at once', async () => {
    const inputs = Array.from({ length: 200 }, (_, length) => randomBytes(length));
    const digests = await Promise.all(inputs.map((input) => createMd5().end(input)));
    expect(digests).toEqual(inputs.map(expected));
  });

  it('is right for inputs of different lengths that come in pieces while others come', async () => {
    const digest = async (input: Buffer, pieceBytes: number): Promise<string> => {
      const md5 = createMd5();
      let offset = 0;
      for (; offset + pieceBytes < input.length; offset += pieceBytes)
        await md5.update(input.subarray(offset, offset + pieceBytes));
      return md5.end(input.subarray(offset));
    };
    const inputs = Array.from({ length: 40 }, (_, index) => randomBytes(index * 9973));
    const digests = await Promise.all(inputs.map((input, index) => digest(input, 64 * (1 + index * 7))));
    expect(digests).toEqual(inputs.map(expected));
  });

  it.each([4, 8, 16])('is right however many come at once, in at most %i lanes', async (lanes) => {
    // Newer lines of Node.js warn on stderr that the loader is called in an old way.
    const { code, stdout, stderr } = await run(process.execPath, ['--import', LOADER, DIGEST_MANY, MD5], {
      env: { SVCFS_MD5_LANES: String(lanes) },
    });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  });

  it('is right past what one call takes', async () => {
    const input = randomBytes(5 * 1024 * 1024 + 1);
    expect(await md5Hex(input)).toBe(expected(input));
  });

  it('refuses a piece in the middle that ends within a block', () => {
    expect(() => createMd5().update(new Uint8Array(63))).toThrow(RangeError);
  });
});
