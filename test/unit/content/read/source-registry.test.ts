import { expect, it } from 'vitest';
import { StorageError } from '../../../../src/api/errors.ts';
import { SourceRegistry } from '../../../../src/content/read/source-registry.ts';
import { StoreOrigins } from '../../../../src/content/read/store-origins.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakePlatform } from '../fake-platform.ts';

it('keeps nothing of an object that could not be verified', async () => {
  const platform = new FakePlatform();
  platform.capabilities.add('volume_download_info');
  platform.objects.set('alice/bucket/a.bam', { bytes: Buffer.from('bytes'), etag: 'one' });
  platform.on = (call) => {
    if (call.startsWith('getRange')) throw new StorageError('failed', 'the store is away');
  };
  const { api, storage } = platform;
  const registry = new SourceRegistry({
    api,
    storage,
    origins: new StoreOrigins(() => undefined),
    clock: new FakeClock(),
  });
  const version = {
    kind: 'object',
    volume: 'alice/bucket',
    location: 'a.bam',
    etag: undefined,
    sizeBytes: 5,
  } as const;
  const { source } = registry.open(version);
  const { signal } = new AbortController();
  await expect(registry.withCurrent(version, signal, async () => {})).rejects.toThrow('away');
  expect(registry.open(version).source).not.toBe(source);
});
