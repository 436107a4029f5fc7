import { describe, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import type { BulkResult, EntryRecord } from '../../../../src/api/model.ts';
import { pinnedDirectory } from '../../../../src/vfs/directories/pinned-directory.ts';
import type { Node, VirtualDirectoryNode } from '../../../../src/vfs/model/node.ts';
import { NodeMaker } from '../../../../src/vfs/model/node-maker.ts';
import { NodeTable } from '../../../../src/vfs/model/node-table.ts';
import { type PinnedFile, recordOfPin } from '../../../../src/vfs/model/pin.ts';
import { NEVER } from '../../../support/reading-world.ts';

const asked: string[][] = [];
const answers = new Map<string, BulkResult<EntryRecord>>();

function bulkGet(ids: readonly string[]): Promise<readonly BulkResult<EntryRecord>[]> {
  asked.push([...ids]);
  const missing = { ok: false, failure: { status: 404, code: 5002, message: 'no' } } as const;
  return Promise.resolve(ids.map((id) => answers.get(id) ?? missing));
}

/** The nodes of the files directly in a directory of a manifest. */
async function nodesOf(files: readonly PinnedFile[]): Promise<readonly Node[]> {
  asked.splice(0);
  const make = new NodeMaker(new NodeTable(), { get: () => undefined } as never);
  const api = { files: { bulkGet } as Partial<Api['files']> as Api['files'] };
  const source = pinnedDirectory(files, { api, make, ttlMs: 1000 });
  const parent: VirtualDirectoryNode = make.virtualDirectory({ parent: undefined, name: '' }, source);
  const { entries } = await source.entries(NEVER);
  return entries.map(({ name, make: makeNode }) => makeNode({ parent, name }));
}

const pin = (index: number): PinnedFile => ({ path: `f${index}`, id: `id${index}`, sizeBytes: index });

describe('a directory of a manifest', () => {
  it('asks about its files, a hundred in a request, and not about those below', async () => {
    const files = Array.from({ length: 250 }, (_, index) => pin(index));
    const nodes = await nodesOf([...files, { ...pin(999), path: 'deeper/f' }]);
    expect(nodes).toHaveLength(251);
    expect(asked.map((ids) => ids.length)).toEqual([100, 100, 50]);
  });

  it('asks nothing about objects of volumes', async () => {
    const object = { volume: 'lab/data', location: 'x', etag: 'e' };
    const [node] = await nodesOf([{ path: 'x', sizeBytes: 3, object }]);
    expect(asked).toEqual([]);
    expect(node).toMatchObject({ kind: 'volume-object', record: { etag: 'e', sizeBytes: 3 } });
  });

  it('shows what the platform tells of a file, and what is pinned of one that is gone or cannot be told of', async () => {
    const told = { ...recordOfPin({ ...pin(1), id: 'id1' }), metadata: { sample: 's1' } };
    answers.set('id1', { ok: true, value: told });
    answers.set('id2', { ok: false, failure: { status: 500, code: 0, message: 'later' } });
    const [there, untold, gone] = await nodesOf([pin(1), pin(2), pin(3)]);
    expect(there).toMatchObject({ record: { metadata: { sample: 's1' } }, pin: { change: undefined } });
    expect(untold).toMatchObject({ record: { sizeBytes: 2 }, pin: { change: undefined } });
    expect(gone).toMatchObject({
      record: { sizeBytes: 3 },
      pin: { change: 'file id3 was deleted or replaced, or may no longer be seen' },
    });
  });
});
