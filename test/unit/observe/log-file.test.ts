import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { textOfLine } from '../../../src/observe/log-text.ts';
import { openLog } from '../../../src/observe/logger.ts';
import { MAY_MOUNT, SmallDisk } from '../../support/small-disk.ts';

let path: string;
beforeEach(() => {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  path = join(directory.name, 'mount.log');
});

function open(
  options: Partial<Parameters<typeof openLog>[0]> = {},
): ReturnType<typeof openLog> & { fd: number } {
  const fd = openSync(path, 'a');
  onTestFinished(() => closeSync(fd));
  return { ...openLog({ fd, path, level: 'info', ...options }), fd };
}

const messages = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).msg);

describe('the file of a log', () => {
  it('is rotated when it is larger than its limit, and three old ones are kept', () => {
    // A line has some 90 bytes.
    const { log } = open({ limitBytes: 200 });
    const all = Array.from({ length: 15 }, (_, number) => `line ${number}`);
    for (const text of all) log.info({}, text);
    const kept = [3, 2, 1].flatMap((number) => messages(`${path}.${number}`));
    expect(existsSync(`${path}.4`)).toBe(false);
    expect(kept).toHaveLength(9);
    expect([...kept, ...messages(path)]).toEqual(all.slice(-kept.length - messages(path).length));
    expect(messages(path).at(-1) ?? kept.at(-1)).toBe('line 14');
  });

  it('counts what was there before', () => {
    open().log.info({}, 'before'.padEnd(200));
    open({ limitBytes: 250 }).log.info({}, 'after');
    expect(messages(`${path}.1`)).toEqual(['before'.padEnd(200), 'after']);
  });

  it('keeps the last words of the process, which go past it', () => {
    const { log, control, fd } = open();
    log.info({}, 'one');
    control.rotate();
    writeSync(fd, 'FATAL ERROR\n');
    log.info({}, 'two');
    expect(messages(`${path}.1`)).toEqual(['one']);
    expect(readFileSync(path, 'utf8')).toMatch(/^FATAL ERROR\n\{.*"msg":"two"\}\n$/);
  });

  it('is made anew when logrotate has moved it', () => {
    const { log, control } = open();
    log.info({}, 'one');
    renameSync(path, `${path}-20260101`);
    control.rotate();
    log.info({}, 'two');
    expect(messages(`${path}-20260101`)).toEqual(['one']);
    expect(messages(path)).toEqual(['two']);
  });

  it.skipIf(!MAY_MOUNT)('goes on when its disk has no room for an old file', async () => {
    const disk = await SmallDisk.mount(64 * 1024);
    onTestFinished(() => disk.unmount());
    path = join(disk.path, 'mount.log');
    const fd = openSync(path, 'a');
    const { log, control } = openLog({ fd, path, level: 'info' });
    log.info({}, 'one');
    await disk.fill();
    control.rotate();
    await disk.empty();
    log.info({}, 'two');
    closeSync(fd);
    expect(messages(path)).toEqual(['one', 'two']);
  });
});

describe('a log', () => {
  it('changes its level while it is written', () => {
    const { log, control } = open();
    log.debug({}, 'no');
    control.level = 'debug';
    log.debug({}, 'yes');
    expect(control.level).toBe('debug');
    expect(messages(path)).toEqual(['yes']);
  });

  it('may be text, without secrets too', () => {
    const { log } = open({ format: 'text' });
    log.warn({ op: 'read', path: '/a b', token: 'hush', ms: 3 }, 'operation failed');
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\d{4}-\S+Z warn {2}operation failed op=read path="\/a b" token=\[redacted\] ms=3\n$/,
    );
  });
});

describe('a line as text', () => {
  it('has the message of an error, and not its stack', () => {
    const err = { type: 'Error', message: 'it broke', stack: 'Error: it broke\n  at x' };
    expect(textOfLine(JSON.stringify({ level: 'error', time: 'T', pid: 1, err, msg: 'failed' }))).toBe(
      'T error failed err="it broke"',
    );
  });

  it.each(['FATAL ERROR: heap', '', '[1]', '"x"'])(
    'stays as it is when it is no line of ours: %s',
    (line) => {
      expect(textOfLine(line)).toBe(line);
    },
  );
});
