import { expect, it } from 'vitest';
import { UploadTally } from '../../../../src/cli/progress/upload-tally.ts';
import type { UploadProgress } from '../../../../src/content/ports.ts';

const upload = (label: string, given: Partial<UploadProgress> = {}): UploadProgress => ({
  label,
  uploadId: undefined,
  sizeBytes: 100,
  storedBytes: 0,
  sentBytes: 0,
  partsInFlight: 0,
  state: 'publishing',
  error: undefined,
  ...given,
});

it('counts a file that is told of no more as uploaded, and one that comes later with the rest', () => {
  const tally = new UploadTally();
  tally.look([upload('/a', { sentBytes: 30 }), upload('/b')]);
  expect(tally.look([upload('/b', { sentBytes: 10 }), upload('/c', { state: 'waiting' })])).toEqual({
    done: { items: 1, bytes: 110 },
    total: { items: 3, bytes: 300 },
  });
  expect(tally.look([])).toEqual({ done: { items: 3, bytes: 300 }, total: { items: 3, bytes: 300 } });
});

it('leaves out a file that a program has open, until it is closed', () => {
  const tally = new UploadTally();
  const none = { done: { items: 0, bytes: 0 }, total: { items: 0, bytes: 0 } };
  expect(tally.look([upload('/a', { state: 'writing', sentBytes: 50 })])).toEqual(none);
  expect(tally.look([upload('/a', { sentBytes: 50 })]).total).toEqual({ items: 1, bytes: 100 });
});

it('tells no more than all of a file that was cut after parts of it were sent', () => {
  expect(new UploadTally().look([upload('/a', { sizeBytes: 10, sentBytes: 50 })]).done.bytes).toBe(10);
});
