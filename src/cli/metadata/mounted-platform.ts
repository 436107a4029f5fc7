import type { MetadataApi } from '../../metadata/files/metadata-api.ts';
import { CliError } from '../exit-codes.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { MetadataCall } from '../mount/metadata-inquiries.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import type { Platform } from './platform.ts';

/** The platform that a mount shows: its process makes the calls, and shows what they change. */
export function mountedPlatform(mount: SvcfsMount): Platform {
  const { call } = new MountCalls(mount);
  const api: MetadataApi = {
    projects: { get: (id, options) => call({ call: 'project', id }, options?.signal) },
    files: {
      list: (folder, page, options) => call({ call: 'list', folder, page }, options?.signal),
      find: (place, options) => call({ call: 'find', place }, options?.signal),
      bulkGet: (ids, options) => call({ call: 'get', ids }, options?.signal),
      bulkEdit: (edits) => call({ call: 'edit', edits }),
      bulkUpdate: (edits) => call({ call: 'update', edits }),
    },
  };
  return {
    api,
    onChanged: () => Promise.resolve(),
    explain: () => undefined,
    close: () => Promise.resolve(),
  };
}

class MountCalls {
  readonly #mount: SvcfsMount;

  constructor(mount: SvcfsMount) {
    this.#mount = mount;
  }

  /** The answer of a call is what the API of the mount answers: it went through JSON, and is plain data. */
  readonly call = async <T>(request: MetadataCall, signal?: AbortSignal): Promise<T> => {
    const { mountPoint } = this.#mount;
    signal?.throwIfAborted();
    for await (const said of askMount(this.#mount, { request: 'metadata', ...request })) {
      signal?.throwIfAborted();
      if (said?.answer === 'failed') throw new CliError('failure', `${mountPoint}: ${said.message}`);
      if (said?.answer === 'metadata') return said.value as T;
    }
    throw new CliError('failure', `${mountPoint}: its process does not answer, or is of another version`);
  };
}
