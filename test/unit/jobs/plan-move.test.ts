import { describe, expect, it } from 'vitest';

import { NOTHING } from '../../../src/jobs/plan.ts';
import { planMove } from '../../../src/jobs/plan-move.ts';
import type { TransferSource, TransferTarget } from '../../../src/jobs/ports.ts';
import {
  alias,
  file,
  ofFile,
  ofFolder,
  ofObject,
  ofPrefix,
  READ,
  request,
  toProject,
  toVolume,
} from './samples.ts';

const plan = (source: TransferSource, target: TransferTarget, overwrite = false) =>
  planMove(request(source, target, overwrite), NOTHING);

describe('a move inside the platform', () => {
  it('in one folder is a rename by the edit call', () => {
    expect(plan(ofFile(file()), toProject(), true)).toEqual({
      kind: 'rename',
      file: 'f1',
      name: 'b.bam',
      overwrite: true,
    });
  });

  it('to another folder of the project is a move call', () => {
    expect(plan(ofFile(file()), toProject({ parent: 'd2' }))).toEqual({
      kind: 'move',
      file: 'f1',
      to: { parent: 'd2', name: 'b.bam' },
      overwrite: false,
    });
  });

  it('to another project is an asynchronous move', () => {
    const target = toProject({ project: 'bob/other', parent: 'r2' });
    expect(plan(ofFile(file()), target)).toMatchObject({ kind: 'async', operation: 'move', file: 'f1' });
  });

  it('of a folder is an asynchronous move, also for a new name in place', () => {
    expect(plan(ofFolder, toProject({ name: 'cooked' }))).toEqual({
      kind: 'async',
      operation: 'move',
      file: 'd1',
      to: { parent: 'root', name: 'cooked' },
    });
  });

  it('to where the entry is changes nothing', () => {
    expect(plan(ofFile(file()), toProject({ name: 'a.bam' }))).toEqual({ kind: 'unchanged' });
    expect(plan(ofFolder, toProject({ name: 'raw' }))).toEqual({ kind: 'unchanged' });
  });

  it('of a folder into itself is refused', () => {
    expect(plan(ofFolder, toProject({ parent: 'd1' }))).toMatchObject({ reason: 'into-itself' });
  });

  it('needs write permission on both sides', () => {
    expect(plan(ofFile(file(), READ), toProject())).toMatchObject({ reason: 'no-permission' });
    expect(plan(ofFile(file()), toProject({ permissions: READ }))).toMatchObject({ reason: 'no-permission' });
  });

  it('to a reserved folder name is refused, while a file may have it', () => {
    expect(plan(ofFolder, toProject({ name: '__x' }))).toMatchObject({ reason: 'bad-name' });
    expect(plan(ofFile(file()), toProject({ name: '__x' }))).toMatchObject({ kind: 'rename' });
  });
});

describe('a move from a project to a volume', () => {
  it('is an export that makes the file an alias', () => {
    expect(plan(ofFile(file()), toVolume(), true)).toEqual({
      kind: 'exports',
      copyOnly: false,
      done: [],
      exports: [{ path: '', file: 'f1', volume: 'alice/v1', location: 'out/a.bam', overwrite: true }],
    });
  });

  it('of a folder is an export of each file, less those that are there already', () => {
    const contents = {
      ...NOTHING,
      files: [
        { path: 'x.bam', file: file({ id: 'f1' }) },
        { path: 'deep/y.bam', file: file({ id: 'f2' }) },
        { path: 'z.bam', file: alias('out/raw/z.bam', { id: 'f3' }) },
      ],
    };
    const result = planMove(request(ofFolder, toVolume({ location: 'out/raw' })), contents);
    expect(result).toMatchObject({
      exports: [
        { file: 'f1', location: 'out/raw/x.bam' },
        { file: 'f2', location: 'out/raw/deep/y.bam' },
      ],
      done: [{ id: 'f3' }],
    });
  });

  it('of a folder with one file that may not be exported sends nothing, and names it', () => {
    const files = [
      { path: 'x.bam', file: file() },
      { path: 'deep/y.bam', file: alias('elsewhere') },
    ];
    const result = planMove(request(ofFolder, toVolume({ location: 'out/raw' })), { ...NOTHING, files });
    expect(result).toMatchObject({ kind: 'refused', reason: 'not-exportable' });
    expect(result).toHaveProperty('message', expect.stringContaining('deep/y.bam'));
  });

  it.each([
    ['dots', '..', 'a segment is empty, "." or ".."'],
    ['a dot, deeper', 'deep/.', 'a segment is empty, "." or ".."'],
    ['a name of 400 bytes', 'ü'.repeat(200), 'a segment is over 255 bytes'],
    ['a long path', Array(6).fill('d'.repeat(200)).join('/'), 'it is over 1024 bytes'],
    ['NUL', 'a\0b', 'it is no text that a volume keeps'],
    ['half a surrogate pair', '\ud800x', 'it is no text that a volume keeps'],
  ])('of a folder with a file that no volume takes by its name, %s, sends nothing', (_, path, why) => {
    const files = [
      { path: 'x.bam', file: file() },
      { path, file: file({ id: 'f2' }) },
    ];
    const result = planMove(request(ofFolder, toVolume({ location: 'out/raw' })), { ...NOTHING, files });
    expect(result).toMatchObject({ kind: 'refused', reason: 'bad-name' });
    expect(result).toHaveProperty('message', expect.stringContaining(JSON.stringify(`out/raw/${path}`)));
    expect(result).toHaveProperty('message', expect.stringContaining(why));
  });

  it('of an alias that already points there is done', () => {
    expect(plan(ofFile(alias('out/a.bam')), toVolume())).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['an alias of something else', ofFile(alias('elsewhere')), toVolume(), 'not-exportable'],
    ['a file of a dataset', ofFile(file({ originDataset: 'tcga' })), toVolume(), 'not-exportable'],
    [
      'a symbolic link',
      ofFile(file({ metadata: { 'svcfs.symlink': 'target' } })),
      toVolume(),
      'not-exportable',
    ],
    ['a target on a read-only volume', ofFile(file()), toVolume({ accessMode: 'RO' }), 'read-only-volume'],
    ['a target on an inactive volume', ofFile(file()), toVolume({ active: false }), 'inactive-volume'],
    ['a location that ends in a slash', ofFile(file()), toVolume({ location: 'out/' }), 'bad-name'],
    ['a location with dots', ofFile(file()), toVolume({ location: 'out/../a' }), 'bad-name'],
    ['a project without write permission', ofFile(file(), READ), toVolume(), 'no-permission'],
  ])('is refused for %s', (_, source, target, reason) => {
    expect(plan(source, target)).toMatchObject({ kind: 'refused', reason });
  });
});

describe('a move from a volume', () => {
  it('to a project is an import, and the object stays', () => {
    expect(plan(ofObject, toProject())).toEqual({
      kind: 'imports',
      parent: 'root',
      folders: [],
      imports: [
        { path: '', volume: 'alice/v1', location: 'in/a.bam', folder: '', name: 'b.bam', overwrite: false },
      ],
    });
  });

  it('of a prefix makes the folders first, outer before inner', () => {
    const contents = { ...NOTHING, locations: ['in/raw/x', 'in/raw/a/b/y', 'in/raw/a/z'] };
    const result = planMove(request(ofPrefix, toProject({ name: 'raw' })), contents);
    expect(result).toMatchObject({
      folders: ['raw', 'raw/a', 'raw/a/b'],
      imports: [
        { location: 'in/raw/x', folder: 'raw', name: 'x' },
        { location: 'in/raw/a/b/y', folder: 'raw/a/b', name: 'y' },
        { location: 'in/raw/a/z', folder: 'raw/a', name: 'z' },
      ],
    });
  });

  it('of a key with a folder in it whose name begins with __ makes that under the name that it is kept by', () => {
    const contents = { ...NOTHING, locations: ['in/raw/__a/__x'] };
    expect(planMove(request(ofPrefix, toProject({ name: 'raw' })), contents)).toMatchObject({
      folders: ['raw', 'raw/svc~__a'],
      imports: [{ path: '__a/__x', folder: 'raw/svc~__a', name: '__x' }],
    });
  });

  it('of a key with an empty folder in it is refused', () => {
    const contents = { ...NOTHING, locations: ['in/raw//x'] };
    const result = planMove(request(ofPrefix, toProject({ name: 'raw' })), contents);
    expect(result).toMatchObject({ reason: 'bad-name' });
  });

  it.each(['w//x', '/lead', 'p/../a', './a', 'trail/'])(
    'of the object %s is refused: the platform would import another',
    (location) => {
      expect(plan({ kind: 'object', volume: 'alice/v1', location }, toProject())).toMatchObject({
        reason: 'bad-name',
      });
    },
  );

  it('to a volume is refused: the platform has no such call', () => {
    expect(plan(ofObject, toVolume())).toMatchObject({ reason: 'volume-is-append-only' });
    expect(plan(ofPrefix, toVolume({ volume: 'alice/v2' }))).toMatchObject({ reason: 'volume-to-volume' });
  });

  it('to a project without write permission is refused', () => {
    expect(plan(ofObject, toProject({ permissions: READ }))).toMatchObject({ reason: 'no-permission' });
  });
});
