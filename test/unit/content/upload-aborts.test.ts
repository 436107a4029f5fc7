import { expect, it } from 'vitest';
import type { Api } from '../../../src/api/api.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { UploadAborts } from '../../../src/content/write/upload/upload-aborts.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const forbidden = new ApiError({ status: 403, code: 8001, message: 'no' }, { call: 'DELETE /upload' });

/** Uploads given up, over a service that answers with `failure` while it is set. */
function abortsOver(clock: FakeClock) {
  const service = { failure: undefined as Error | undefined, asked: [] as string[] };
  const abort = async (uploadId: string): Promise<void> => {
    service.asked.push(uploadId);
    if (service.failure) throw service.failure;
  };
  const api = { uploads: { abort } } as unknown as Api;
  return { service, aborts: new UploadAborts(api, clock) };
}

it('an upload that the service forbids to give up is tried again with the next one, and at the end', async () => {
  const clock = new FakeClock();
  const { service, aborts } = abortsOver(clock);
  service.failure = forbidden;
  aborts.abort('a');
  await clock.advance(600_000);
  expect(service.asked).toEqual(['a']);
  aborts.abort('b');
  await clock.advance(600_000);
  expect(service.asked).toEqual(['a', 'a', 'b']);
  service.failure = undefined;
  await aborts.close();
  expect(service.asked).toEqual(['a', 'a', 'b', 'a', 'b']);
  await aborts.close();
  expect(service.asked).toHaveLength(5);
});
