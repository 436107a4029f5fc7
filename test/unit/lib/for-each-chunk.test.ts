import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { forEachChunk } from '../../../src/lib/for-each-chunk.ts';

const chunks = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)));

describe('every chunk of a stream', () => {
  it('is taken in order, the last one too when it takes its time', async () => {
    const taken: string[] = [];
    await forEachChunk(chunks('a', 'b', 'c'), async (chunk) => {
      await new Promise(setImmediate);
      taken.push(chunk.toString());
    });
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  it('fails when taking one fails, at once or later', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    await expect(forEachChunk(chunks('a', 'b'), fail)).rejects.toThrow('no');
    await expect(forEachChunk(chunks('a'), async () => fail())).rejects.toThrow('no');
  });

  it('leaves the stream open when it fails', async () => {
    const stream = chunks('a', 'b', 'c');
    await expect(forEachChunk(stream, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(stream.destroyed).toBe(false);
  });

  it('fails when the stream breaks off or is destroyed', async () => {
    const broken = new Readable({ read() {} });
    const taking = forEachChunk(broken, () => undefined);
    broken.destroy();
    await expect(taking).rejects.toThrow('closed before its end');
    const failing = new Readable({ read: () => failing.destroy(new Error('broken')) });
    await expect(forEachChunk(failing, () => undefined)).rejects.toThrow('broken');
  });

  it.each([
    ['closed before its end', undefined],
    ['broken', new Error('broken')],
  ])('fails when the stream was there no more: %s', async (message, reason) => {
    const stream = new Readable({ read() {} });
    stream.on('error', () => undefined).destroy(reason);
    await new Promise((resolve) => stream.once('close', resolve));
    await expect(forEachChunk(stream, () => undefined)).rejects.toThrow(message);
  });
});
