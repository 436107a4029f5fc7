import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import type { EngineResult } from '../../../../src/service/engines/task-engine.ts';
import { filesIn } from '../../../../src/service/files/tables/file-table.ts';
import type { Services } from '../../../../src/service/services.ts';
import { DatabaseError } from '../../../../src/service/store/database-failure.ts';
import { type Connection, Store } from '../../../../src/service/store/store.ts';
import { storeOutputBytes } from '../../../../src/service/task-runs/task-outputs.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';

const OUTPUTS = { made: { class: 'File', basename: 'made.txt', contents: 'whole' } };

/** A service that keeps contents in memory, whose database answers as it is told. */
function world() {
  const kept = new Map<string, string>();
  const discardBlob = vi.fn(async () => undefined);
  const blobs = {
    write: async (bytes: Readable) => {
      const content = await text(bytes);
      const key = `blob ${kept.size}`;
      kept.set(key, content);
      return { key, sizeBytes: content.length, etag: 'etag' };
    },
    remove: async (key: string) => void kept.delete(key),
  };
  const logger = { warn: () => undefined };
  const database = new Store({} as Connection);
  filesIn(database).discardBlob = discardBlob;
  const services = { blobs, store: database, clock: new HastyClock(), logger };
  const result = { outputs: OUTPUTS } as unknown as EngineResult;
  const { signal } = new AbortController();
  const store = () => storeOutputBytes(services as unknown as Services, result, signal);
  return { kept, discardBlob, store };
}

test('bytes that the database could not be told of are stored again, and none are left over', async () => {
  const { kept, discardBlob, store } = world();
  discardBlob.mockRejectedValueOnce(new DatabaseError('unreachable', new Error('gone')));
  expect([...(await store()).values()]).toEqual([{ key: 'blob 0', sizeBytes: 5, etag: 'etag' }]);
  expect([...kept.values()]).toEqual(['whole']);
});

test('what fails for longer is not tried for ever', async () => {
  const { kept, discardBlob, store } = world();
  discardBlob.mockRejectedValue(new DatabaseError('unreachable', new Error('gone')));
  await expect(store()).rejects.toThrow('unreachable');
  expect(kept.size).toBe(0);
});
