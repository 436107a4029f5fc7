import { expect, it } from 'vitest';
import { explainDiskFailure } from '../../../../../src/content/write/spool/disk-failure.ts';

const told = (code: string): unknown =>
  explainDiskFailure(Object.assign(new Error(`${code}: told by the system`), { code }), '/spool');

it.each(['ENOSPC', 'EDQUOT'])('tells a full disk (%s) with its place, and what makes room', (code) => {
  expect(told(code)).toMatchObject({
    kind: 'no-space',
    message: expect.stringMatching(/directory \/spool is full; free space there, or .*--spool-size/),
    cause: { code },
  });
});

it('tells a file that is too large from a full disk', () => {
  expect(told('EFBIG')).toMatchObject({
    kind: 'no-space',
    message: 'larger than a file may be in the spool directory /spool (file system, or ulimit -f)',
  });
});

it.each([
  ['EMFILE', 'the mount has as many files open as a process may'],
  ['ENFILE', 'the machine has as many files open as it may'],
])('tells who may open no more files (%s)', (code, message) => {
  expect(told(code)).toMatchObject({ kind: 'no-descriptors', message, cause: { code } });
});

it.each([
  ['ENOENT', /^the spool directory \/spool was removed; unmount, and mount again$/],
  [
    'EROFS',
    /directory \/spool is read-only, as after a failure of it; see to it, or mount again with another/,
  ],
])('tells a place that is no more what it was (%s)', (code, message) => {
  expect(told(code)).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(message),
    cause: { code },
  });
});

it('leaves anything else as it is', () => {
  expect(told('EACCES')).toMatchObject({ message: 'EACCES: told by the system' });
});
