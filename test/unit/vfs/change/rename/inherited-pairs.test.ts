import { expect, it } from 'vitest';
import type { FileRecord } from '../../../../../src/api/model.ts';
import { carriedOver } from '../../../../../src/vfs/change/rename/inherited.ts';

it('what a file inherits may have any key', () => {
  const metadata = { constructor: 'ACME', sample: 'S1' };
  const from = { metadata, tags: [] } as unknown as FileRecord;
  expect(carriedOver(from, { metadata: { sample: 'S2' }, tags: [] })).toEqual({
    metadata: { constructor: 'ACME' },
    tags: undefined,
  });
});
