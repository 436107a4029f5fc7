/** Metadata that is taken back while it is on its way to the file, with the content or after it. */
import { describe, expect, it } from 'vitest';
import type { Annotations, Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { forever, leftByKill, newDraft, platform, target, writerOf } from '../draft-world.ts';

const pairs = (metadata: Annotations['metadata']): Annotations => ({ metadata, tags: undefined });
const onPlatform = () => platform.named('folder', target.name)?.record.metadata;

interface Publishing {
  readonly draft: Draft;
  readonly published: Promise<unknown>;
  readonly answer: () => void;
}

/** The file is made, or edited, and that is not answered yet. */
async function publishing(draft: Draft, call: 'inline' | 'edit'): Promise<Publishing> {
  const answering = new Gate();
  const waitOnce = (): Promise<void> => {
    platform.onMade = platform.onEdited = () => {};
    return answering.opened;
  };
  if (call === 'edit') platform.onEdited = waitOnce;
  else {
    platform.capabilities.add('upload_inline');
    platform.onMade = waitOnce;
  }
  const published = draft.publish(forever);
  await waitUntil(() => onPlatform()?.['taken'] === 'back');
  return { draft, published, answer: () => answering.open() };
}

async function draftWith(metadata: Annotations['metadata']): Promise<Draft> {
  const draft = await newDraft(writerOf());
  await draft.write(0, Buffer.from('text'), forever);
  await draft.annotate(pairs(metadata));
  return draft;
}

describe.each(['inline', 'edit'] as const)('a pair that is removed while it is sent (%s)', (call) => {
  it.each([
    ['with others', { kept: 'x' }],
    ['as the only one', {}],
  ])('is not there when that has ended: %s', async (_, others) => {
    const { draft, published, answer } = await publishing(
      await draftWith({ ...others, taken: 'back' }),
      call,
    );
    await draft.annotate(Object.keys(others).length === 0 ? undefined : pairs(others));
    answer();
    await published;
    expect(onPlatform()).toEqual(others);
    expect((await draft.annotatePublished()).metadata).toEqual(others);
    expect(platform.count('putMetadata')).toBe(1);
  });

  it('is there when it was set again', async () => {
    const { draft, published, answer } = await publishing(await draftWith({ taken: 'back' }), call);
    await draft.annotate(undefined);
    await draft.annotate(pairs({ taken: 'again' }));
    answer();
    await published;
    expect(onPlatform()).toEqual({ taken: 'again' });
    expect(platform.count('putMetadata')).toBe(0);
  });

  it('leaves what another client has set on the file since', async () => {
    const { draft, published, answer } = await publishing(await draftWith({ taken: 'back' }), call);
    await draft.annotate(undefined);
    const file = platform.named('folder', target.name)!;
    file.record = { ...file.record, metadata: { ...file.record.metadata, theirs: 'y' } };
    answer();
    await published;
    expect(onPlatform()).toEqual({ theirs: 'y' });
  });

  it('is removed by the next mount when this one is killed', async () => {
    const draft = await draftWith({ taken: 'back' });
    await draft.commit(forever);
    const { published, answer } = await publishing(draft, call);
    await draft.annotate(undefined);
    const left = await leftByKill();
    const [recovery] = await writerOf({ directory: left }).recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('nothing is owed');
    await recovery.outcome.owed.finish();
    expect(onPlatform()).toEqual({});
    answer();
    await published;
  });
});

it('a pair that new content does not have is left on the old content until that is there', async () => {
  const draft = await draftWith({ taken: 'back' });
  const { published, answer } = await publishing(draft, 'inline');
  answer();
  await published;
  await draft.write(0, Buffer.from('TEXT'), forever);
  await draft.annotate(pairs({ kept: 'x' }));
  expect(onPlatform()).toEqual({ taken: 'back' });
  await draft.publish(forever);
  expect(onPlatform()).toEqual({ kept: 'x' });
  expect(platform.count('putMetadata')).toBe(0);
});
