import { describe, expect, it } from 'vitest';
import { ChildCache } from '../../../../src/vfs/model/child-cache.ts';

const asked = (generation: number, nowMs = 0) => ({ generation, nowMs });

it('keeps the absences used last, and no more than so many', () => {
  const cache = new ChildCache<{ checkedMs: number }>(3);
  for (const name of ['a', 'b', 'c']) cache.learn(name, undefined, asked(0));
  cache.get('a');
  cache.learn('d', undefined, asked(0));
  expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name)?.kind)).toEqual([
    'absent',
    undefined,
    'absent',
    'absent',
  ]);
});

it('keeps every removal of ours until a younger listing', () => {
  const cache = new ChildCache<{ checkedMs: number }>(3);
  const before = cache.generation;
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
  for (const name of names) cache.remove(name, 1);
  for (const name of names) cache.learn(name, { checkedMs: 0 }, asked(before));
  expect(names.map((name) => cache.get(name)?.kind)).toEqual(names.map(() => 'absent'));
  cache.learnAll(new Set(), asked(cache.generation, 2), () => false);
  expect(names.map((name) => cache.get(name))).toEqual(names.map(() => undefined));
});

it('knows a name as what was learnt last', () => {
  const cache = new ChildCache<{ checkedMs: number }>();
  const node = { checkedMs: 0 };
  cache.learn('f', undefined, asked(0));
  cache.learn('f', node, asked(0));
  expect(cache.get('f')).toMatchObject({ kind: 'present', node });
  cache.learn('f', undefined, asked(0, 5));
  expect(cache.get('f')).toMatchObject({ kind: 'absent', learntMs: 5 });
  cache.put('f', node, 6);
  expect(cache.get('f')).toMatchObject({ kind: 'present', node });
  cache.forget('f');
  expect(cache.get('f')).toBeUndefined();
});

describe('an answer to a question asked before', () => {
  it.each([
    ['all is to be asked anew', (cache: ChildCache<{ checkedMs: number }>) => cache.expire()],
    ['its name is to be asked anew', (cache: ChildCache<{ checkedMs: number }>) => cache.forget('f')],
  ])('does not bring back what we removed, although %s', (_, forget) => {
    const cache = new ChildCache<{ checkedMs: number }>();
    const { generation } = cache;
    cache.remove('f', 0);
    forget(cache);
    expect(cache.get('f')).not.toMatchObject({ learntMs: 0 });
    cache.learn('f', { checkedMs: 0 }, asked(generation, 1));
    expect(cache.get('f')?.kind).not.toBe('present');
    cache.learn('f', { checkedMs: 0 }, asked(cache.generation, 2));
    expect(cache.get('f')?.kind).toBe('present');
  });
});
