import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compiledAhead } from '../../../../src/cli/mount/compiled-ahead.ts';

let scripts = 0;

/** Bytes that the engine keeps of a script with a function that is never called: more once that is compiled. */
function compiledBytes(): number {
  scripts += 1;
  // Another source each time: the engine remembers what it has compiled.
  const source = `function neverCalled(a, b) { return [a + b, a - b, a * b, a / b, ${1000 + scripts}]; }`;
  return new Script(source).createCachedData().length;
}

describe('what is loaded ahead', () => {
  it('has functions compiled that were never called', async () => {
    const lazily = compiledBytes();
    expect(await compiledAhead(async () => compiledBytes())).toBeGreaterThan(lazily);
    expect(compiledBytes()).toBe(lazily);
  });

  it('leaves the engine as it was when it cannot be loaded', async () => {
    const lazily = compiledBytes();
    const loading = compiledAhead(() => Promise.reject(new Error('no such module')));
    await expect(loading).rejects.toThrow('no such module');
    expect(compiledBytes()).toBe(lazily);
  });
});
