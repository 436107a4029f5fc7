import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { StorageError, TransportError } from '../../../../../src/api/errors.ts';
import type { ContentWriter } from '../../../../../src/content/ports.ts';
import { deferred } from '../../../../../src/lib/deferred.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { md5, patterned } from '../../fake-platform.ts';
import { directory, forever, MIB, newDraft, platform, published, target, writerOf } from '../draft-world.ts';

describe('publishing', () => {
  it('costs a small file three calls and one transfer, with its exact size', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    const record = await draft.publish(forever);
    expect(record).toMatchObject({ name: 'new.bam', sizeBytes: 5 });
    expect(platform.calls).toEqual(['initialise', 'partUrl 1', 'put 1', 'complete']);
    expect(draft.dirty).toBe(false);
  });

  it('makes an empty file', async () => {
    const draft = await newDraft(writerOf());
    expect((await draft.publish(forever)).sizeBytes).toBe(0);
    expect(published()).toHaveLength(0);
  });

  it('sends a small file in one call where the service takes that', async () => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    await draft.publish(forever);
    expect(platform.calls).toEqual(['inline']);
    expect(published()?.toString()).toBe('hello');
  });

  it('sends what was set on a small file with its content where the service takes that', async () => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf({ md5Sum: true }));
    await draft.write(0, Buffer.from('hello'), forever);
    await draft.annotate({ metadata: { sample: 's1' }, tags: ['new'] });
    const record = await draft.publish(forever);
    expect(record.metadata).toEqual({ sample: 's1', md5_sum: md5(Buffer.from('hello')) });
    expect(record.tags).toEqual(['new']);
    expect(platform.calls).toEqual(['inline']);
  });

  it.each([
    ['in one call', 33, 's', ['inline']],
    ['after it, where the headers of one call would get too large', 40, 's', ['inline', 'edit']],
    ['after it, where they would in bytes', 33, '試', ['inline', 'edit']],
  ])('sends what was set on a small file %s', async (_, pairs, letter, calls) => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    const metadata = Object.fromEntries(
      Array.from({ length: pairs }, (_unused, at) => [`key-${at}`, letter.repeat(100)]),
    );
    await draft.annotate({ metadata, tags: undefined });
    expect((await draft.publish(forever)).metadata).toEqual(metadata);
    expect(platform.calls).toEqual(calls);
  });

  it('sends the MD5 of a file that goes in one call with it, however large', async () => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf({ md5Sum: true, partSizeBytes: 16 * MIB }));
    const bytes = randomBytes(8 * MIB);
    await draft.write(0, bytes, forever);
    expect((await draft.publish(forever)).metadata).toEqual({ md5_sum: md5(bytes) });
    expect(platform.calls).toEqual(['inline']);
  });

  it('sends as many files at once in one call as uploads were asked for, or as there are', async () => {
    platform.capabilities.add('upload_inline');
    const { promise: gate, resolve: go } = deferred();
    platform.on = (call) => (call === 'inline' ? gate : undefined);
    const publish = async (writer: ContentWriter, names: readonly string[]): Promise<void> => {
      const drafts = await Promise.all(names.map((name) => newDraft(writer, undefined, name)));
      await Promise.all(drafts.map((draft) => draft.write(0, Buffer.from('x'), forever)));
      await Promise.all(drafts.map((draft) => draft.publish(forever)));
    };
    const limited = publish(writerOf({ partsInFlight: 2 }), ['a', 'b', 'c', 'd']);
    await waitUntil(() => platform.count('inline') === 2);
    const free = publish(writerOf({ directory: `${directory.name}/free` }), ['e', 'f', 'g', 'h']);
    await waitUntil(() => platform.count('inline') === 2 + 4);
    go();
    await Promise.all([limited, free]);
    expect(platform.count('inline')).toBe(8);
  });

  it('sends a file again that arrived damaged in one call, and gives up after a few times', async () => {
    platform.capabilities.add('upload_inline');
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    platform.damaged.add(0);
    await draft.publish(forever);
    expect(platform.calls).toEqual(['inline', 'inline']);
    expect(published()?.toString()).toBe('hello');
    platform.on = () => void platform.damaged.add(0);
    await draft.write(0, Buffer.from('H'), forever);
    await expect(draft.publish(forever)).rejects.toThrow('new.bam arrived damaged 5 times');
    expect(published()?.toString()).toBe('hello');
  });

  it('gives the file the MD5 of its content when asked, with what else was set, wherever it was written', async () => {
    const bytes = patterned(350);
    const draft = await newDraft(writerOf({ md5Sum: true }));
    await draft.write(100, bytes.subarray(100), forever);
    await draft.write(0, bytes.subarray(0, 120), forever);
    await draft.annotate({ metadata: { sample: 's1' }, tags: undefined });
    expect((await draft.publish(forever)).metadata).toEqual({ sample: 's1', md5_sum: md5(bytes) });
    expect(platform.calls.filter((call) => call === 'edit')).toHaveLength(1);
    await draft.write(10, Buffer.from('xyz'), forever);
    Buffer.from('xyz').copy(bytes, 10);
    expect((await draft.publish(forever)).metadata['md5_sum']).toBe(md5(bytes));
  });

  it('gives no MD5 to a file that goes on to a volume, which keeps no metadata', async () => {
    const onward = { volume: 'ann/results', location: 'a', replaces: undefined };
    const writer = writerOf({ md5Sum: true });
    const draft = await writer.draft({ target: { ...target, onward }, base: undefined, label: 'a' });
    await draft.write(0, Buffer.from('x'), forever);
    expect((await draft.publish(forever)).metadata).toEqual({});
    expect(platform.calls).not.toContain('edit');
  });

  it('gives the file what was set on it meanwhile, in one call', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('x'), forever);
    await draft.annotate({ metadata: { sample: 'a', taken: 'back' }, tags: undefined });
    await draft.annotate({ metadata: { sample: 'c', kind: 'b' }, tags: ['t'] });
    const record = await draft.publish(forever);
    expect(record.metadata).toEqual({ sample: 'c', kind: 'b' });
    expect(record.tags).toEqual(['t']);
    expect(platform.count('edit')).toBe(1);
    await draft.publish(forever);
    expect(platform.count('edit')).toBe(1);
  });

  it('gives the file what is set while it is sent, and owes nothing after that', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('x'), forever);
    let go = (): void => {};
    platform.on = (call) => (call === 'complete' ? new Promise((resolve) => (go = resolve)) : undefined);
    const publication = draft.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    await draft.annotate({ metadata: { sample: 'late' }, tags: undefined });
    go();
    expect((await publication).metadata).toEqual({ sample: 'late' });
    await draft.annotate({ metadata: { sample: 'later' }, tags: undefined });
    expect((await draft.annotatePublished()).metadata).toEqual({ sample: 'later' });
    await draft.close();
    expect(await readdir(directory.name)).toEqual(['journal']);
  });

  it('is shared by those who ask for it at the same time', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    const [one, two] = await Promise.all([draft.publish(forever), draft.publish(forever)]);
    expect(one).toBe(two);
    expect(platform.count('complete')).toBe(1);
  });

  it('leaves what is written meanwhile to the next publication', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('first'), forever);
    let go = (): void => {};
    platform.on = (call) => (call === 'complete' ? new Promise((resolve) => (go = resolve)) : undefined);
    const first = draft.publish(forever);
    await waitUntil(() => platform.count('complete') === 1);
    const changing = draft.write(0, Buffer.from('secnd'), forever);
    await draft.write(5, Buffer.from(' part'), forever);
    const second = draft.publish(forever);
    platform.on = (call) => {
      if (call === 'complete') expect(published()?.toString()).toBe('first');
    };
    go();
    await first;
    await changing;
    await second;
    await draft.publish(forever);
    expect(published()?.toString()).toBe('secnd part');
    expect(draft.dirty).toBe(false);
  });

  it('goes on when the one who waited for it is interrupted', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    const interrupted = new AbortController();
    const waiting = draft.publish(interrupted.signal);
    interrupted.abort(new Error('interrupted'));
    await expect(waiting).rejects.toThrow('interrupted');
    await waitUntil(() => !draft.dirty);
    expect(published()?.toString()).toBe('hello');
  });

  it('can be repeated after a failure, and sends only what the service does not have', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, patterned(250), forever);
    platform.on = (call) => {
      if (call === 'put 3') throw new StorageError('failed', 'connection lost');
    };
    await expect(draft.publish(forever)).rejects.toThrow('connection lost');
    expect(draft.dirty).toBe(true);
    platform.on = () => {};
    await draft.publish(forever);
    expect(published()).toEqual(patterned(250));
    expect(platform.count('initialise')).toBe(1);
  });

  it('can be repeated after a failure with a file of another size', async () => {
    const draft = await newDraft(writerOf());
    await draft.write(0, patterned(250), forever);
    platform.on = (call) => {
      if (call === 'complete') throw new TransportError('unreachable', { call });
    };
    await expect(draft.publish(forever)).rejects.toThrow('unreachable');
    platform.on = () => {};
    await draft.write(250, patterned(30), forever);
    await draft.publish(forever);
    expect(published()).toEqual(Buffer.concat([patterned(250), patterned(30)]));
  });

  it.each([
    ['refuses the first', new StorageError('refused', 'expired', { status: 403 })],
    ['says that the keys of the first have ended', new StorageError('failed', 'status 400', { status: 400 })],
  ])('asks for a new part link once when the store %s', async (_, failure) => {
    const draft = await newDraft(writerOf());
    await draft.write(0, Buffer.from('hello'), forever);
    platform.on = (call) => {
      if (call === 'put 1' && platform.count('put') === 1) throw failure;
    };
    await draft.publish(forever);
    expect(platform.count('partUrl')).toBe(2);
  });

  it('does not take a file of the same size for its own when the answer of the one call was lost', async () => {
    platform.capabilities.add('upload_inline');
    const { api } = platform;
    const inline = api.uploads.inline;
    api.uploads.inline = async () => {
      platform.addFile(Buffer.from('their'), { parent: 'folder', name: 'new.bam' });
      api.uploads.inline = inline;
      throw new TransportError('connection lost', { call: 'inline' });
    };
    const draft = await newDraft(writerOf({ api }));
    await draft.write(0, Buffer.from('hello'), forever);
    await expect(draft.publish(forever)).rejects.toThrow('connection lost');
    await draft.publish(forever);
    expect(published()?.toString()).toBe('hello');
  });

  it('knows another file of its size from its own, when it must not exist, and its answer was lost', async () => {
    platform.capabilities.add('upload_inline');
    const { api } = platform;
    const told: unknown[] = [];
    const { inline } = api.uploads;
    api.uploads.inline = async (sent, content) => {
      for (const bytes of ['their', 'hello']) {
        const found = platform.addFile(Buffer.from(bytes), { parent: 'folder', name: bytes });
        told.push(await sent.isSame?.(found));
      }
      return inline(sent, content);
    };
    const draft = await newDraft(writerOf({ api }));
    await draft.write(0, Buffer.from('hello'), forever);
    await draft.publish(forever);
    expect(told).toEqual([false, true]);
  });

  it('does not replace a file that came into being meanwhile when it must not exist', async () => {
    platform.addFile(Buffer.from('theirs'), { parent: 'folder', name: 'new.bam' });
    const draft = await writerOf().draft({
      target: { ...target, overwrite: false },
      base: undefined,
      label: 'x',
    });
    await draft.write(0, Buffer.from('ours'), forever);
    await expect(draft.publish(forever)).rejects.toMatchObject({ code: 8005 });
    expect(published()?.toString()).toBe('theirs');
  });

  it('replaces its own file the second time, though it had to be new the first time', async () => {
    const draft = await writerOf().draft({
      target: { ...target, overwrite: false },
      base: undefined,
      label: 'x',
    });
    await draft.write(0, Buffer.from('one'), forever);
    await draft.publish(forever);
    await draft.write(3, Buffer.from(' two'), forever);
    await draft.publish(forever);
    expect(published()?.toString()).toBe('one two');
  });
});
