import { describe, expect, it } from 'vitest';
import { StorageError, TransportError } from '../../../../src/api/errors.ts';
import { ContentError } from '../../../../src/content/ports.ts';
import { JobError, TransferRefused } from '../../../../src/jobs/job-error.ts';
import { UnsettledError } from '../../../../src/lib/pages-in-order.ts';
import { errnoOf } from '../../../../src/vfs/errors/errno-of.ts';
import { ErrorRegistry } from '../../../../src/vfs/errors/error-registry.ts';
import { failureOf } from '../../../../src/vfs/errors/failure-of.ts';
import { FsError } from '../../../../src/vfs/errors/fs-error.ts';
import { reportFailures } from '../../../../src/vfs/errors/report-failures.ts';
import type { AttributeChanges, FileHandle, FileSystem, NodeId } from '../../../../src/vfs/file-system.ts';
import { apiError } from '../../../support/fake-api.ts';

describe('the errno of a failure', () => {
  it.each([
    [404, 5002, 'ENOENT'],
    [403, 5001, 'EACCES'],
    [401, 90_001, 'EACCES'],
    [403, 9006, 'EPERM'],
    [400, 9011, 'EPERM'],
    [403, 9026, 'EROFS'],
    [400, 5021, 'ENOTEMPTY'],
    [404, 8003, 'EIO'],
    [409, 8005, 'EEXIST'],
    [409, 9069, 'ENXIO'],
    [400, 5006, 'E2BIG'],
    [403, 7007, 'EINVAL'],
    [429, 1000, 'EAGAIN'],
    [500, 90_009, 'EIO'],
    [503, 0, 'EIO'],
    [400, 99_999, 'EINVAL'],
  ])('of status %i and code %i is %s: %s', (status, code, errno) => {
    expect(errnoOf(apiError(status, code, 'no'))).toBe(errno);
    const failure = { status, code, message: 'no' };
    expect(errnoOf(new JobError('export', failure, {}))).toBe(errno);
  });

  it('is decided for every kind of error of ours', () => {
    expect(errnoOf(new FsError('EXDEV', ''))).toBe('EXDEV');
    expect(errnoOf(new TransportError('reset', { call: '' }))).toBe('EIO');
    expect(errnoOf(new StorageError('changed', ''))).toBe('ESTALE');
    expect(errnoOf(new ContentError('no-space', ''))).toBe('ENOSPC');
    expect(errnoOf(new ContentError('no-memory', ''))).toBe('ENOMEM');
    expect(errnoOf(new ContentError('no-descriptors', ''))).toBe('ENFILE');
    expect(errnoOf(new TransferRefused('not-exportable', ''))).toBe('EPERM');
    expect(errnoOf(new TransferRefused('bad-name', ''))).toBe('EPERM');
    expect(errnoOf(new TransferRefused('target-not-empty', ''))).toBe('ENOTEMPTY');
    expect(errnoOf(new UnsettledError(''))).toBe('EAGAIN');
  });

  it('of an interrupted wait is EINTR, and of what nobody foresaw EIO', () => {
    const interrupted = new AbortController();
    interrupted.abort();
    expect(errnoOf(interrupted.signal.reason)).toBe('EINTR');
    expect(errnoOf(new TypeError('oops'))).toBe('EIO');
    expect(errnoOf('thrown')).toBe('EIO');
  });
});

describe('the text of a failure', () => {
  it('names reason, errno, code, request and what to do', () => {
    const { text } = failureOf({ op: 'open', path: '/p' }, apiError(403, 9006, 'not exportable'), 0);
    expect(text).toBe(
      'not exportable (EPERM, code 9006, request req-1). ' +
        'Aliases, public and archived files and files of hosted datasets cannot be exported: copy the file instead, an archived one ' +
        'once it is restored.',
    );
  });

  const textOf = (error: Error): string => failureOf({ op: 'close', path: '/p' }, error, 0).text;

  it('does not blame the token for what a store refuses', () => {
    expect(textOf(new StorageError('refused', 'status 403'))).toMatch(
      /\(EACCES\)\. The store refuses an address that the service signed/,
    );
    expect(textOf(apiError(403, 0, 'no'))).toContain('The token lacks the permission');
  });

  it('tells who has no room, and of no limit but the one that was reached', () => {
    const ofService = /\(ENOSPC\b.*\)\. The service, or its store, has no room: tell its operator\.$/;
    const full = { status: 507, code: 0, message: 'no room' };
    expect(textOf(apiError(507, 0, 'no room'))).toMatch(ofService);
    expect(textOf(new JobError('export', full, {}))).toMatch(ofService);
    expect(textOf(new StorageError('failed', 'no room', { status: 507 }))).toMatch(ofService);
    const reason = 'the disk of the spool directory /spool is full; free space there';
    expect(textOf(new ContentError('no-space', reason))).toBe(`${reason} (ENOSPC).`);
    expect(textOf(new FsError('ENOSPC', 'a file has at most 1000 pairs'))).toMatch(/pairs \(ENOSPC\)\.$/);
  });

  it('tells in plain words of an interruption, and what becomes of the work that was begun', () => {
    const interrupted = new AbortController();
    interrupted.abort();
    expect(textOf(interrupted.signal.reason)).toBe(
      'interrupted by a signal (EINTR). The work that was begun goes on, and bytes written so far are kept: ' +
        'look at the result, and do it again if it is wrong.',
    );
  });

  it('tells what to do for more memory', () => {
    expect(textOf(new ContentError('no-memory', 'no more'))).toMatch(
      /\(ENOMEM\)\. .*ulimit -v.* smaller --memory\.$/,
    );
  });

  it('tells what to do for more open files', () => {
    expect(textOf(new ContentError('no-descriptors', 'no more'))).toMatch(
      /^no more \(ENFILE\)\. Write fewer files at once, or raise the limit \(ulimit -Hn/,
    );
  });

  it('tells what to do about a file that is in the way of one of a folder', () => {
    expect(textOf(new TransferRefused('target-not-empty', 'a.txt: taken'))).toMatch(
      /^a\.txt: taken \(ENOTEMPTY\)\. Nothing was moved: move to another name, or rename/,
    );
    const taken = { status: 409, code: 9108, message: 'taken' };
    expect(textOf(new JobError('import', taken, { path: 'deep/a.txt', more: 2 }))).toMatch(
      /^deep\/a\.txt: taken \(and 2 more failed\) \(EEXIST, code 9108\)\. Another file has that name/,
    );
    expect(textOf(new JobError('export', { ...taken, code: 9107 }, {}))).toMatch(
      /^taken \(EEXIST, code 9107\)\. Another object has that name/,
    );
  });

  it('tells a service that fails, and an answer of somebody else, from no answer', () => {
    const call = 'POST /upload/inline';
    expect(textOf(new TransportError('reset', { call }))).toContain('did not answer');
    for (const error of [
      new TransportError('HTTP status 500', { call, answer: 'failed' }),
      apiError(500, 0, 'HTTP status 500'),
    ])
      expect(textOf(error)).toContain('The service answered, but not with what was asked for');
    const foreign = new TransportError('HTTP status 404', { call, answer: 'foreign' });
    expect(textOf(foreign)).toContain('The endpoint answers, but not as the API does');
  });
});

describe('the registry of failures', () => {
  const failure = (path: string, op = 'open') => failureOf({ op, path }, new FsError('EIO', 'x'), 0);

  it('keeps the last of each path, and the newest paths', () => {
    const registry = new ErrorRegistry(2);
    for (const path of ['/a', '/b', '/a', '/c']) registry.record(failure(path));
    expect(registry.list().map(({ path }) => path)).toEqual(['/a', '/c']);
    registry.record(failure('/a', 'read'));
    expect(registry.lastAt('/a')?.op).toBe('read');
    expect(registry.lastAt('/b')).toBeUndefined();
  });

  it('tells a directory what failed in it last: what could not be made has no other place', () => {
    const registry = new ErrorRegistry();
    for (const path of ['/d', '/d/new', '/d/sub/deeper', '/da']) registry.record(failure(path));
    expect(registry.lastAt('/d')?.path).toBe('/d/new');
    registry.record(failure('/d'));
    expect(registry.lastAt('/d')?.path).toBe('/d');
    expect(registry.lastAt('/d/sub')?.path).toBe('/d/sub/deeper');
  });
});

describe('a directory that could not be looked up', () => {
  const lookup = (path: string) => failureOf({ op: 'lookup', path }, new FsError('EIO', 'x'), 0);

  it('is why nothing below it can be reached, until it is looked up', () => {
    const registry = new ErrorRegistry();
    registry.record(lookup('/projects/ada'));
    expect(registry.lastAt('/projects/ada/one/file')?.path).toBe('/projects/ada');
    expect(registry.lastAt('/projects/adam')).toBeUndefined();
    registry.lookedUp(() => '/projects/ada');
    expect(registry.lastAt('/projects/ada/one/file')).toBeUndefined();
    registry.ended('/projects/ada', { ops: ['lookup'], mark: registry.mark });
    expect(registry.lastAt('/projects/ada')).toBeUndefined();
  });

  it('counts before what failed below it earlier', () => {
    const registry = new ErrorRegistry();
    registry.record(failureOf({ op: 'open', path: '/d/file' }, new FsError('EACCES', 'x'), 0));
    registry.record(lookup('/d'));
    expect(registry.lastAt('/d/file')?.path).toBe('/d');
  });

  it('counts no other failure of a directory for those below it', () => {
    const registry = new ErrorRegistry();
    registry.record(failureOf({ op: 'setxattr', path: '/d' }, new FsError('EIO', 'x'), 0));
    expect(registry.lastAt('/d/file')).toBeUndefined();
  });
});

describe('a failed operation', () => {
  const paths = {
    ofNode: (id: NodeId) => (id === 1 ? '/' : `/node-${id}`),
    ofHandle: (handle: FileHandle) => `/handle-${handle}`,
    ofDirectoryHandle: (handle: FileHandle) => `/directory-${handle}`,
  };
  const node = (id: number) => id as NodeId;
  const handle = (id: number) => id as FileHandle;

  function failing(error: Error): { readonly fs: FileSystem; readonly reports: unknown[] } {
    const reports: unknown[] = [];
    const target = new Proxy({} as FileSystem, {
      get: (_, op) => () => {
        if (op === 'read' || op === 'rename') return Promise.reject(error);
        throw error;
      },
    });
    const report = (failed: object): number => reports.push(failed);
    const errors = new ErrorRegistry();
    return { fs: reportFailures(target, { paths, report, lookedUp: () => {}, errors }), reports };
  }

  const context = { uid: 0, gid: 0, pid: 0, signal: new AbortController().signal };

  it('is reported once with its path, at once or later, and thrown on', async () => {
    const { fs, reports } = failing(new FsError('EPERM', 'no'));
    expect(() => fs.getattr(node(7), undefined, context)).toThrow('no');
    expect(() => fs.mkdir(node(1), 'd', 0, context)).toThrow('no');
    await expect(fs.read(handle(3), 0, 1, context)).rejects.toThrow('no');
    const flags = { noReplace: false, exchange: false, whiteout: false };
    const from = { parent: node(5), name: 'a' };
    await expect(fs.rename(from, { parent: node(1), name: 'b' }, flags, context)).rejects.toThrow('no');
    expect(reports).toEqual([
      { op: 'getattr', path: '/node-7' },
      { op: 'mkdir', path: '/d' },
      { op: 'read', path: '/handle-3' },
      { op: 'rename', path: '/node-5/a', target: '/b' },
    ]);
  });

  it('at a name is over when the name is looked up', async () => {
    const lookedUp: string[] = [];
    const answers = [undefined, Promise.resolve(undefined)];
    const target = new Proxy({} as FileSystem, { get: () => () => answers.shift() });
    const fs = reportFailures(target, {
      paths,
      report: () => {},
      lookedUp: (path) => void lookedUp.push(path()),
      errors: new ErrorRegistry(),
    });
    await fs.lookup(node(1), 'a', context);
    await fs.lookup(node(5), 'b', context);
    await fs.getattr(node(5), undefined, context);
    expect(lookedUp).toEqual(['/a', '/node-5/b']);
  });

  it('that is an ordinary answer is no failure', () => {
    const { fs, reports } = failing(new FsError('ENODATA', 'none'));
    expect(() => fs.getxattr(node(2), 'user.x', context)).toThrow('none');
    expect(reports).toEqual([]);
    const refusing = failing(new FsError('EOPNOTSUPP', 'none'));
    const set = (name: string) => () =>
      refusing.fs.setxattr(node(2), name, new Uint8Array(), { create: false, replace: false }, context);
    expect(set('system.posix_acl_access')).toThrow('none');
    expect(refusing.reports).toEqual([]);
    expect(() => refusing.fs.getxattr(node(2), 'security.selinux', context)).toThrow('none');
    expect(refusing.reports).toEqual([]);
    expect(set('user.sample')).toThrow('none');
    expect(refusing.reports).toHaveLength(1);
  });

  it.each(['trusted.x', 'security.x'])('is reported when %s is to be set', (attribute) => {
    const { fs, reports } = failing(new FsError('EOPNOTSUPP', 'none'));
    const set = () =>
      fs.setxattr(node(2), attribute, new Uint8Array(), { create: false, replace: false }, context);
    expect(set).toThrow('none');
    expect(reports).toEqual([{ op: 'setxattr', path: '/node-2', attribute }]);
  });

  it('is reported when an attribute is to be removed that is not there', () => {
    const { fs, reports } = failing(new FsError('ENODATA', 'none'));
    expect(() => fs.removexattr(node(2), 'user.x', context)).toThrow('none');
    expect(reports).toEqual([{ op: 'removexattr', path: '/node-2', attribute: 'user.x' }]);
  });

  it('is reported at the new name of a hard link', () => {
    const { fs, reports } = failing(new FsError('EPERM', 'none'));
    expect(() => fs.link(node(2), node(5), 'hard', context)).toThrow('none');
    expect(reports).toEqual([{ op: 'link', path: '/node-5/hard' }]);
  });

  describe('is over when the same succeeds', () => {
    let fails = true;
    const registry = new ErrorRegistry();
    const target = new Proxy({} as FileSystem, {
      get: () => async () => {
        if (fails) throw new FsError('EACCES', 'no');
      },
    });
    const fs = reportFailures(target, {
      paths,
      report: (failed, error) => registry.record(failureOf(failed, error, 0)),
      lookedUp: () => {},
      errors: registry,
    });
    const flags = { noReplace: false, exchange: false, whiteout: false };
    const rename = () =>
      fs.rename({ parent: node(1), name: 'a' }, { parent: node(1), name: 'b' }, flags, context);
    const setxattr = (name: string) =>
      fs.setxattr(node(2), name, new Uint8Array(), { create: false, replace: false }, context);

    async function failedAndThen(failing: () => unknown, ...succeeding: (() => unknown)[]): Promise<void> {
      registry.ended('', { ops: 'all', mark: registry.mark });
      fails = true;
      await Promise.resolve(failing()).catch(() => {});
      fails = false;
      for (const each of succeeding) await each();
    }
    const told = (path: string) => registry.lastAt(path)?.op;

    it('at its path, and for its attribute', async () => {
      await failedAndThen(
        () => setxattr('user.x'),
        () => setxattr('user.y'),
      );
      expect(told('/node-2')).toBe('setxattr');
      await failedAndThen(
        () => setxattr('user.x'),
        () => setxattr('user.x'),
      );
      expect(told('/node-2')).toBeUndefined();
    });

    it('for the mode, the time, the owner or the size that was refused, and not for another of them', async () => {
      const sets = [{ mode: 0o600 }, { mtimeNs: 'now' }, { uid: 1 }, { sizeBytes: 0 }] as const;
      for (const refused of sets) {
        const set = (changes: AttributeChanges) => () => fs.setattr(node(2), changes, undefined, context);
        await failedAndThen(set(refused), ...sets.filter((other) => other !== refused).map(set));
        expect(told('/node-2')).toBe('setattr');
        await failedAndThen(set(refused), set(refused));
        expect(told('/node-2')).toBeUndefined();
      }
    });

    it('not when another operation succeeds, or a program only reads', async () => {
      await failedAndThen(
        () => fs.flush(handle(3), context),
        () => fs.read(handle(3), 0, 1, context),
        () => fs.flush(handle(3), context),
      );
      expect(told('/handle-3')).toBe('flush');
    });

    it('for every failure at a name, when the name is removed or given to another entry', async () => {
      await failedAndThen(() => fs.mkdir(node(1), 'a', 0, context), rename);
      expect(told('/a')).toBeUndefined();
      await failedAndThen(() => fs.mkdir(node(1), 'b', 0, context), rename);
      expect(told('/b')).toBeUndefined();
      await failedAndThen(
        () => fs.mkdir(node(1), 'a', 0, context),
        () => fs.unlink(node(1), 'a', context),
      );
      expect(told('/a')).toBeUndefined();
    });

    it('at the new name of a rename, when that is removed or given to another entry; its old name tells on', async () => {
      await failedAndThen(rename, () => fs.create(node(1), 'b', 0, 0, context));
      expect([told('/b'), told('/a'), told('/node-1')]).toEqual(['rename', 'rename', undefined]);
      await failedAndThen(rename, () => fs.unlink(node(1), 'b', context));
      expect([told('/b'), told('/a')]).toEqual([undefined, 'rename']);
      await failedAndThen(rename, rename);
      expect([told('/b'), told('/a')]).toEqual([undefined, undefined]);
    });

    it('unless it failed after that began', async () => {
      fails = true;
      const mark = registry.mark;
      await Promise.resolve(rename()).catch(() => {});
      registry.ended('/a', { ops: 'all', mark });
      expect(told('/a')).toBe('rename');
    });
  });
});
