import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FileChange } from '../../../src/content/ports.ts';
import { changedBy, joined } from '../../../src/edits/edit.ts';

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const pairs = fc.dictionary(keys, fc.constantFrom('1', '2', '3'));
const tags = fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 });
const changes = fc
  .record({ metadata: pairs, dropped: fc.uniqueArray(keys), tags: fc.option(tags, { nil: undefined }) })
  .map(
    ({ metadata, dropped, tags: set }): FileChange => ({
      metadata,
      dropped: dropped.filter((key) => !Object.hasOwn(metadata, key)),
      tags: set,
    }),
  );

it('changes that are joined do what they do one after the other', () => {
  fc.assert(
    fc.property(fc.array(changes), pairs, tags, (all, metadata, before) => {
      const one = changedBy({ metadata, tags: before }, joined(all));
      const each = all.reduce(changedBy, { metadata, tags: before });
      expect(one).toEqual(each);
    }),
  );
});

it('no key is both set and taken away', () => {
  fc.assert(
    fc.property(fc.array(changes), (all) => {
      const { metadata, dropped } = joined(all);
      expect(dropped.filter((key) => Object.hasOwn(metadata, key))).toEqual([]);
    }),
  );
});
