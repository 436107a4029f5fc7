import fc from 'fast-check';

/** An operation of a program on files, by name and arguments: `file-worker.py` carries it out. */
export type Operation = readonly [name: string, ...arguments: readonly (string | number)[]];

/** Few names, so that operations meet. */
const NAMES = ['a', 'b', 'c'];
const FOLDERS = ['d', 'e', 'd/f'];

const folder = fc.constantFrom(...FOLDERS);
const file = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.tuple(folder, fc.constantFrom(...NAMES)).map((names) => names.join('/')) },
);
const path = fc.oneof({ weight: 4, arbitrary: file }, { weight: 1, arbitrary: folder });
const slot = fc.nat(3);
const seed = fc.nat(200);
const offset = fc.oneof(
  { weight: 6, arbitrary: fc.nat(10_000) },
  { weight: 3, arbitrary: fc.constant(0) },
  // Past what goes in one call.
  { weight: 1, arbitrary: fc.constant(9 * 1024 * 1024) },
);
const length = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 6000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 6000, max: 300_000 }) },
);
const how = fc.constantFrom(
  'r',
  'rw',
  'rw+create',
  'w+create',
  'w+create+truncate',
  'rw+truncate',
  'w+create+exclusive',
  'w+append+create',
);

const weighted = (weight: number, name: string, ...given: readonly fc.Arbitrary<string | number>[]) => ({
  weight,
  arbitrary: fc.tuple(...given).map((values): Operation => [name, ...values]),
});

/** Any operation; on a handle that is not open it is skipped on both sides. */
export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  weighted(10, 'open', slot, file, how),
  weighted(10, 'write', slot, offset, seed, length),
  weighted(3, 'append', slot, seed, length),
  weighted(6, 'read', slot, offset, length),
  weighted(3, 'ftruncate', slot, offset),
  weighted(2, 'fsync', slot),
  weighted(2, 'fstat', slot),
  weighted(2, 'mapped', slot, fc.nat(3000), seed, fc.integer({ min: 1, max: 3000 })),
  weighted(2, 'copyRange', slot, slot, fc.nat(3000), fc.nat(3000), length),
  weighted(6, 'close', slot),
  weighted(2, 'truncate', file, offset),
  weighted(3, 'unlink', path),
  weighted(6, 'rename', path, path),
  weighted(3, 'copy', file, file),
  weighted(5, 'mkdir', folder),
  weighted(2, 'rmdir', folder),
  weighted(3, 'list', fc.constantFrom('.', ...FOLDERS)),
  weighted(3, 'stat', path),
  weighted(4, 'readAll', file),
);

/** A change of a folder's time by an operation, which is named behind the folder. */
const changeOfFolder: fc.Arbitrary<Operation> = fc
  .tuple(fc.constantFrom('.', ...FOLDERS), fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
  .chain(([at, name, to]) =>
    fc.constantFrom<Operation>(
      ['changes', at, 'put', `${at}/${name}`, 1, 100],
      ['changes', at, 'unlink', `${at}/${name}`],
      ['changes', at, 'rename', `${at}/${name}`, `${at}/${to}`],
      ['changes', at, 'rename', `${at}/${name}`, to],
      ['changes', at, 'rename', name, `${at}/${to}`],
      ['changes', at, 'symlink', to, `${at}/${name}`],
      ['changes', at, 'mkdir', `${at}/f`],
      ['changes', at, 'rmdir', `${at}/f`],
      ['changes', at, 'readAll', `${at}/${name}`],
    ),
  );

const TARGETS = [...NAMES, 'd', 'd/a', '../a', 'nowhere', './b'];

/** With symbolic links, which the other operations follow then, and with the times of folders. */
export const anyOperationOnLinks: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 20, arbitrary: anyOperation },
  weighted(2, 'symlink', fc.constantFrom(...TARGETS), file),
  weighted(1, 'readlink', path),
  { weight: 2, arbitrary: changeOfFolder },
);
