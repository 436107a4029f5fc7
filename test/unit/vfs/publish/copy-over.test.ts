/** `cp` over a file, whose last step (the copy takes the name) is not answered. */
import { afterEach, describe, expect, it } from 'vitest';
import type { FilesApi } from '../../../../src/api/api.ts';
import type { CallOptions } from '../../../../src/api/call-options.ts';
import { TransportError } from '../../../../src/api/errors.ts';
import { ChangingWorld, withMethods } from '../../../support/changing-world.ts';

let world: ChangingWorld;
afterEach(() => world.end());

const unanswered = () => new TransportError('no answer', { call: 'PATCH /files/{id}' });

/** A world with files `new` and `doc`, where calls on files go other ways. */
async function withCalls(calls: (files: FilesApi) => Partial<FilesApi>): Promise<void> {
  world = await ChangingWorld.start({
    api: (api) => withMethods(api, { files: withMethods(api.files, calls(api.files)) }),
  });
  await world.put('doc', 'old');
  await world.put('new', 'new');
}

const copyOver = async () => world.copy((await world.child('new'))!, 'doc', world.folder);

describe('a copy over a file, when no answer tells that it took the name,', () => {
  const arrives = (files: FilesApi): FilesApi['edit'] => {
    return async (...given) => {
      const edited = await files.edit(...given);
      if (given[1].name === 'doc') throw unanswered();
      return edited;
    };
  };

  it('is done where it did: the file stays', async () => {
    await withCalls((files) => ({ edit: arrives(files) }));
    await copyOver();
    expect(await world.onPlatform()).toEqual({ doc: 'new', new: 'new' });
  });

  it('is removed where it did not, and the old file stays', async () => {
    const asked: CallOptions[] = [];
    await withCalls((files) => ({
      edit: () => Promise.reject(unanswered()),
      delete: (id, options = {}) => {
        asked.push(options);
        return files.delete(id, options);
      },
    }));
    await expect(copyOver()).rejects.toThrow('no answer');
    expect(await world.onPlatform()).toEqual({ doc: 'old', new: 'new' });
    // A program that copies waits for it: it does not come after all other work.
    expect(asked).toEqual([{}]);
  });

  it('is left, and told of, where nobody can say', async () => {
    let isAway = false;
    await withCalls((files) => ({
      edit: async (...given) => {
        isAway = true;
        return arrives(files)(...given);
      },
      get: (...given) => (isAway ? Promise.reject(unanswered()) : files.get(...given)),
    }));
    await expect(copyOver()).rejects.toThrow(/no answer; a copy may be left in the folder, as \.copy-/);
    expect(await world.onPlatform()).toEqual({ doc: 'new', new: 'new' });
  });
});
