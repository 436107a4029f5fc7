import { describe, expect, it } from 'vitest';
import { changeOfFile, changeOfObject, recordOfPin } from '../../../../src/vfs/model/pin.ts';

const PIN = { path: 'a/b', id: 'f1', sizeBytes: 3 };
const OBJECT = { volume: 'lab/data', location: 'x', etag: 'e1' };
const RECORD = recordOfPin(PIN);

describe('a pinned file', () => {
  it('is as it was under another name, in another project, with other metadata', () => {
    const told = { ...RECORD, name: 'c', project: 'lab/other', modifiedMs: 9, metadata: { a: 'b' } };
    expect(changeOfFile(PIN, told)).toBeUndefined();
  });

  it.each([
    ['there is none', undefined, 'file f1 was deleted or replaced, or may no longer be seen'],
    ['another size', { ...RECORD, sizeBytes: 4 }, 'it has 4 bytes, and had 3'],
    [
      'it was exported',
      { ...RECORD, storage: { kind: 'volume', volume: 'lab/data', location: 'x' } as const },
      "its bytes are those of lab/data/x now, and were in the platform's own store",
    ],
  ])('is another: %s', (_, told, expected) => {
    expect(changeOfFile(PIN, told)).toBe(expected);
  });

  it('of an object is another by ETag, quoted or not', () => {
    const pin = { ...PIN, id: undefined, object: OBJECT };
    expect(changeOfObject(pin, { etag: '"e1"', sizeBytes: 3 })).toBeUndefined();
    expect(changeOfObject(pin, { etag: '"e2"', sizeBytes: 3 })).toBe(
      'the object lab/data/x has ETag e2, and had e1',
    );
    expect(changeOfObject(pin, { etag: 'e1', sizeBytes: 4 })).toBe('it has 4 bytes, and had 3');
    expect(changeOfObject(pin, undefined)).toContain('has no object x any more');
  });

  it('of an alias is told another by the store, and not by an old size of the record', () => {
    const pin = { ...PIN, object: OBJECT };
    expect(changeOfFile(pin, { ...recordOfPin(pin), sizeBytes: 2 })).toBeUndefined();
  });
});
