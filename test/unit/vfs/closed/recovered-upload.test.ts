import { expect, it } from 'vitest';
import { ApiError, TransportError } from '../../../../src/api/errors.ts';
import { ContentError, type OwedDraft } from '../../../../src/content/ports.ts';
import { ClosedFiles } from '../../../../src/vfs/closed/closed-files.ts';
import { FollowingUploads } from '../../../../src/vfs/closed/following-uploads.ts';
import { RecoveredUpload } from '../../../../src/vfs/closed/recovered-upload.ts';
import { ContentTable } from '../../../../src/vfs/model/content-table.ts';
import type { Tree } from '../../../../src/vfs/model/tree.ts';
import type { Publisher } from '../../../../src/vfs/publish/publisher.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const clock = new FakeClock();
const told: string[] = [];
const tree = {
  clock,
  log: { info: () => {} },
  writer: { keptAside: async () => [] },
  recordError: (_: object, error: Error) => void told.push(error.message),
} as unknown as Tree;

/** An upload that fails like this, one after the other, and then succeeds. */
function failing(...failures: Error[]): { readonly upload: RecoveredUpload; readonly kept: () => number } {
  let kept = 0;
  const keep = async () => {
    kept += 1;
    return { path: '/state/recovered/f', missing: undefined };
  };
  const finish = async (): Promise<void> => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  const upload = new RecoveredUpload('/f', { keep } as unknown as OwedDraft, finish);
  return { upload, kept: () => kept };
}

const refusal = (status: number, code = 0): ApiError =>
  new ApiError({ status, code, message: `answer ${status}` }, { call: 'POST /upload/inline' });

it.each([
  ['an upload that is not whole', refusal(409, 8007)],
  ['too many requests', refusal(429)],
  ['a request that took too long', refusal(408)],
  ['a token that is not good now', refusal(401)],
  ['a service that is away', new TransportError('unreachable', { call: 'any' })],
  ['a machine without memory', new ContentError('no-memory', 'no more')],
  ['too many open files', new ContentError('no-descriptors', 'no more')],
])('is tried again after %s', async (_, failure) => {
  const { upload, kept } = failing(failure, failure);
  const done = new FollowingUploads(tree, {} as Publisher).bring(upload);
  for (let tries = 0; tries < 2; tries += 1) {
    await waitUntil(() => told.length > tries);
    await clock.advance(60_000);
  }
  await done;
  expect(told.splice(0)).toEqual([failure.message, failure.message]);
  expect(upload).toMatchObject({ isOver: true, keepBecause: undefined });
  expect(kept()).toBe(0);
});

it('is kept aside when it is refused for good, and says where', async () => {
  const { upload, kept } = failing(refusal(403, 8001));
  await new FollowingUploads(tree, {} as Publisher).bring(upload);
  expect(kept()).toBe(1);
  expect(upload.keepBecause?.message).toContain('answer 403');
  expect(told.splice(0).at(-1)).toContain('kept at /state/recovered/f');
});

it('goes on when the mount was to end, and was in use: svcfs flush waits for it', async () => {
  const { upload } = failing(refusal(503), refusal(503));
  const publisher = { idle: async () => {} } as unknown as Publisher;
  const closedFiles = new ClosedFiles(tree, publisher, new ContentTable());
  const { signal } = new AbortController();
  closedFiles.bring(upload);
  expect(await closedFiles.idle(signal)).toEqual({ waiting: ['/f'] });
  const flushed = closedFiles.flush('/', signal);
  await waitUntil(() => told.length === 2);
  await clock.advance(60_000);
  expect(await flushed).toEqual([]);
  expect(upload.isOver).toBe(true);
  told.splice(0);
});
