import { describe, expect, it } from 'vitest';

import { collect, pagesInOrder, UnsettledError } from '../../../src/lib/pages-in-order.ts';

interface Item {
  readonly id: string;
  readonly name: string;
}

/** A collection in order of name, and what others do to it before each answer. */
class Changing {
  items: Item[];
  answers = 0;
  readonly #before: (collection: Changing) => void;

  constructor(count: number, before: (collection: Changing) => void = () => undefined) {
    this.items = Array.from({ length: count }, (_, index) => itemAt(index));
    this.#before = before;
  }

  rename(id: string, name: string): void {
    this.items = this.items.map((item) => (item.id === id ? { id, name } : item)).sort(byName);
  }

  async pages(options: { readonly strict?: boolean } = {}) {
    const fetch = async ({ offset, limit }: { offset: number; limit: number }) => {
      this.#before(this);
      this.answers += 1;
      return { items: this.items.slice(offset, offset + limit), total: this.items.length };
    };
    const passes: Item[][] = [];
    let unchanged = false;
    for await (const page of pagesInOrder(fetch, { what: 'data', limit: 100, ...options })) {
      passes[page.pass] = [...(passes[page.pass] ?? []), ...page.items];
      unchanged = page.unchanged;
    }
    return { last: new Set(passes.at(-1)?.map(({ name }) => name)), passes: passes.length, unchanged };
  }
}

function itemAt(index: number): Item {
  return { id: `id-${index}`, name: `f${String(index).padStart(5, '0')}` };
}

function byName(a: Item, b: Item): number {
  return a.name < b.name ? -1 : 1;
}

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => itemAt(from + index).name);
}

describe('a collection read by pages', () => {
  it.each([
    [0, 1],
    [100, 1],
    [101, 2],
    [10_000, 100],
  ])('of %i entries that nobody changes takes %i requests', async (count, requests) => {
    const collection = new Changing(count);
    const { last, unchanged } = await collection.pages();
    expect(last.size).toBe(count);
    expect(unchanged).toBe(true);
    expect(collection.answers).toBe(requests);
  });

  it('is read again when an entry got another place, though the total stayed', async () => {
    const collection = new Changing(1000, (each) => each.answers === 1 && each.rename('id-0', 'zz'));
    const { last, passes, unchanged } = await collection.pages();
    expect([...last].sort()).toEqual([...names(1, 1000), 'zz']);
    expect(passes).toBe(2);
    expect(unchanged).toBe(true);
  });

  it('lacks nothing that stayed, however long others go on to remove entries', async () => {
    const collection = new Changing(1000, (each) => each.items.shift());
    const { last, unchanged } = await collection.pages();
    for (const name of names(collection.answers, 1000)) expect(last).toContain(name);
    expect(unchanged).toBe(false);
  });

  it('lacks nothing that stayed, however long others go on to add entries', async () => {
    const collection = new Changing(1000, (each) => {
      each.items.unshift({ id: `new-${each.answers}`, name: `a${99_999 - each.answers}` });
    });
    const { last } = await collection.pages();
    for (const name of names(0, 1000)) expect(last).toContain(name);
  });

  it('is read to its end where its total is told only as far as the next page', async () => {
    const { items } = new Changing(450);
    const fetch = async ({ offset, limit }: { offset: number; limit: number }) => {
      const end = Math.min(offset + limit, items.length);
      return { items: items.slice(offset, end), total: end + (end < items.length ? 1 : 0) };
    };
    expect(await collect(pagesInOrder(fetch, { what: 'data', limit: 100 }))).toHaveLength(450);
  });

  it('fails when it never stays enough to put two of its pages together', async () => {
    const collection = new Changing(300, (each) => {
      each.items = each.items.map(({ name }) => ({ id: `id-${each.answers}-${name}`, name }));
      if (each.answers % 2 === 0) each.items.pop();
    });
    const reading = collection.pages();
    await expect(reading).rejects.toThrow(UnsettledError);
    await expect(reading).rejects.toThrow('data changes faster than it can be listed: try again');
  });
});

describe('a collection read for what must not miss anything', () => {
  it('asks no further than a page of nothing, whatever total it is told', async () => {
    let requests = 0;
    const items = Array.from({ length: 150 }, (_, index) => itemAt(index));
    const fetch = async ({ offset, limit }: { offset: number; limit: number }) => {
      requests += 1;
      return { items: items.slice(offset, offset + limit), total: 1e9 };
    };
    await expect(collect(pagesInOrder(fetch, { what: 'data', limit: 100 }))).rejects.toThrow(UnsettledError);
    expect(requests).toBeLessThan(100);
  });

  it('lacks no entry for one that came while another went', async () => {
    const collection = new Changing(1000, (each) => {
      if (each.answers !== 1) return;
      each.items.shift();
      each.items.push({ id: 'new', name: 'zz' });
    });
    const { last } = await collection.pages({ strict: true });
    for (const name of names(1, 1000)) expect(last).toContain(name);
  });

  it('fails when somebody changes it all the while', async () => {
    const collection = new Changing(1000, (each) => each.items.shift());
    await expect(collection.pages({ strict: true })).rejects.toThrow(UnsettledError);
  });
});
