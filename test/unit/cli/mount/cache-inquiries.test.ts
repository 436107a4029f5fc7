import { expect, it } from 'vitest';
import {
  answerCacheRequest,
  type CacheAnswer,
  type CacheRequest,
} from '../../../../src/cli/mount/cache-inquiries.ts';
import { CacheWorld, NEVER } from './cache-world.ts';

const gone = { path: '/2', reason: 'demo/results/object-2: no such object' };
const absent = { path: '/absent', reason: 'no such file or directory' };

/** Two files that are cached, and between them an alias whose object was replaced, and one whose object is gone. */
async function world(): Promise<CacheWorld> {
  const made = new CacheWorld();
  made.add(8000);
  made.addAlias(5000, 5001);
  made.addAlias(5000, undefined);
  made.add(9000);
  await made.warmUp();
  return made;
}

function ask({ contentsAt, cached }: CacheWorld, request: CacheRequest): Promise<CacheAnswer> {
  return answerCacheRequest(
    request,
    { contentsAt, cached, warnings: [] },
    { send: () => undefined, signal: NEVER },
  );
}

it('tells of what is cached, and of each file that cannot be told of', async () => {
  const answer = await ask(await world(), { request: 'cache', paths: ['/absent', '/'] });
  expect(answer).toMatchObject({
    files: [
      { path: '/0', sizeBytes: 8000, cachedBytes: 8000 },
      { path: '/1', sizeBytes: 5001, cachedBytes: 5001 },
      { path: '/3', sizeBytes: 9000, cachedBytes: 9000 },
    ],
    failed: 2,
    failures: [absent, gone],
  });
});

it('evicts what it can, and tells of each file that it cannot', async () => {
  const made = await world();
  const answer = await ask(made, { request: 'evict', paths: ['/absent', '/'] });
  expect(answer).toMatchObject({ failed: 2, failures: [absent, gone] });
  expect(answer).toMatchObject({ freedBytes: expect.any(Number) });
  expect(await made.cached.disk.measure()).toMatchObject({ entries: 0 });
});
