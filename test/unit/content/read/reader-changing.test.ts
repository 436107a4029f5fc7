import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../src/api/errors.ts';
import type { ContentVersion } from '../../../../src/content/ports.ts';
import { patterned } from '../fake-platform.ts';
import { bytesOf, forever, MIB, type Setup, setup } from './reader-world.ts';

describe('content that can change', () => {
  const place = { volume: 'alice/bucket', location: 'a/b.bam' };

  function withAlias(): Setup & { readonly alias: ContentVersion } {
    const made = setup();
    const bytes = patterned(MIB, 1);
    made.platform.objects.set('alice/bucket/a/b.bam', { bytes, etag: 'one' });
    const { id } = made.platform.addFile(bytes, { storage: { kind: 'volume', ...place } });
    return { ...made, alias: { kind: 'alias', fileId: id, ...place, sizeBytes: bytes.length } };
  }

  it('is not mixed: a handle that meets another version fails with `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    const handle = reader.open(alias);
    await bytesOf(handle.read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    await expect(bytesOf(handle.read(MIB / 2, 100, forever))).rejects.toMatchObject({ kind: 'changed' });
  });

  it('is checked when opened again: what is cached of an old version is not given', async () => {
    const { platform, reader, alias } = withAlias();
    await bytesOf(reader.open(alias).read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    const again = await bytesOf(reader.open(alias).read(0, 100, forever));
    expect(again).toEqual(patterned(MIB, 2).subarray(0, 100));
  });

  it('of a store that gives no ETag is fetched anew when opened again, and not mixed with what is cached', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 1), etag: undefined });
    const first = reader.open(alias);
    await bytesOf(first.read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: undefined });
    const again = reader.open(alias);
    expect(await bytesOf(again.read(0, 100, forever))).toEqual(patterned(MIB, 2).subarray(0, 100));
    expect(await bytesOf(first.read(0, 100, forever))).toEqual(patterned(MIB, 1).subarray(0, 100));
  });

  it.each(['', '""'])(
    'of a store whose ETag is %j for all its objects is fetched anew, too',
    async (etag) => {
      const { platform, reader, alias } = withAlias();
      platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 1), etag });
      await bytesOf(reader.open(alias).read(0, 100, forever));
      platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag });
      const again = await bytesOf(reader.open(alias).read(0, 100, forever));
      expect(again).toEqual(patterned(MIB, 2).subarray(0, 100));
    },
  );

  it('is not asked for by a handle that is closed while it is checked', async () => {
    const { platform, reader, alias } = withAlias();
    await bytesOf(reader.open(alias).read(0, 100, forever));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(MIB, 2), etag: 'two' });
    const handle = reader.open(alias);
    const read = bytesOf(handle.read(0, 100, forever));
    const asked = platform.ranges.length;
    handle.close();
    await expect(read).rejects.toMatchObject({ kind: 'changed' });
    expect(platform.ranges).toHaveLength(asked + 1);
  });

  it('is that of a file from its export on: it is not mixed with what replaces the object', async () => {
    const { platform, reader } = setup();
    const bytes = patterned(4 * MIB, 1);
    const { id } = platform.addFile(bytes);
    const handle = reader.open({ kind: 'file', fileId: id, sizeBytes: bytes.length });
    await bytesOf(handle.read(0, 100, forever));
    const file = platform.files.get(id)!;
    file.record = { ...file.record, storage: { kind: 'volume', ...place } };
    platform.objects.set('alice/bucket/a/b.bam', { bytes, etag: 'one' });
    platform.on = (call) => {
      if (call.startsWith('getRange') && platform.count('downloadInfo') === 1)
        throw new StorageError('missing', 'no such blob', { status: 404 });
    };
    expect(await bytesOf(handle.read(MIB, 100, forever))).toEqual(bytes.subarray(MIB, MIB + 100));
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(4 * MIB, 2), etag: 'two' });
    await expect(bytesOf(handle.read(2 * MIB, 100, forever))).rejects.toMatchObject({ kind: 'changed' });
  });

  it('of another size than its entry says is `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.set('alice/bucket/a/b.bam', { bytes: patterned(2 * MIB), etag: 'two' });
    await expect(bytesOf(reader.open(alias).read(0, 100, forever))).rejects.toMatchObject({
      kind: 'changed',
    });
  });

  it('of a volume is read through the link the service gives, if it is the version listed', async () => {
    const { platform, reader } = withAlias();
    platform.capabilities.add('volume_download_info');
    const listed = { kind: 'object', ...place, sizeBytes: MIB } as const;
    expect(await bytesOf(reader.open({ ...listed, etag: '"one"' }).read(5, 10, forever))).toEqual(
      patterned(MIB, 1).subarray(5, 15),
    );
    const stale = reader.open({ ...listed, etag: 'zero' });
    await expect(bytesOf(stale.read(0, 10, forever))).rejects.toMatchObject({ kind: 'changed' });
  });

  it('of a volume says what to do where the service gives no links', async () => {
    const { reader } = withAlias();
    const handle = reader.open({ kind: 'object', ...place, etag: 'one', sizeBytes: MIB });
    await expect(bytesOf(handle.read(0, 10, forever))).rejects.toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('import a/b.bam'),
    });
  });

  it('that is gone is `changed`', async () => {
    const { platform, reader, alias } = withAlias();
    platform.objects.clear();
    await expect(bytesOf(reader.open(alias).read(0, 10, forever))).rejects.toMatchObject({ kind: 'changed' });
  });
});
