import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger, type Logger } from '../../../src/observe/logger.ts';
import { MAY_MOUNT, SmallDisk } from '../../support/small-disk.ts';

function logged(level: 'error' | 'debug', write: (log: Logger) => void): string {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  const path = `${directory.name}/log`;
  const fd = openSync(path, 'a');
  write(createLogger({ fd, level }));
  closeSync(fd);
  return readFileSync(path, 'utf8');
}

describe('the log', () => {
  it('is one JSON object a line, with level, time and fields', () => {
    const line = logged('debug', (log) => log.warn({ op: 'read', errno: 'EIO', ms: 3 }, 'operation failed'));
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      op: 'read',
      errno: 'EIO',
      ms: 3,
      msg: 'operation failed',
    });
    expect(Date.parse(JSON.parse(line).time)).not.toBeNaN();
  });

  it('is no failure of who writes to it when its disk is full', () => {
    const fd = openSync('/dev/full', 'a');
    onTestFinished(() => closeSync(fd));
    const log = createLogger({ fd, level: 'info' });
    expect(() => {
      for (let line = 0; line < 3; line += 1) log.warn({ line }, 'no room');
    }).not.toThrow();
  });

  it.skipIf(!MAY_MOUNT)('has the lines that its disk had no room for, once it has', async () => {
    const disk = await SmallDisk.mount(64 * 1024);
    onTestFinished(() => disk.unmount());
    const path = join(disk.path, 'log');
    const fd = openSync(path, 'a');
    const log = createLogger({ fd, level: 'info' });
    await disk.fill();
    log.info({}, 'one');
    log.info({}, 'two');
    await disk.empty();
    log.info({}, 'three');
    closeSync(fd);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two', 'three']);
  });

  it('leaves out what is below its level', () => {
    expect(logged('error', (log) => log.info({}, 'quiet'))).toBe('');
  });

  it('never holds a token', () => {
    const text = logged('debug', (log) => {
      log.info({ token: 'hush' }, 'top');
      log.info({ profile: { auth_token: 'hush' } }, 'nested');
      log.info({ request: { headers: { 'x-svc-auth-token': 'hush' } } }, 'headers');
    });
    expect(text).not.toContain('hush');
    expect(text.match(/\[redacted\]/g)).toHaveLength(3);
  });

  it('takes the signature off a URL, in errors too', () => {
    const text = logged('debug', (log) => {
      log.error({ err: new Error('GET http://host/blobs/7?sig=hush&exp=9: 403') }, 'download failed');
    });
    expect(text).toContain('http://host/blobs/7?[redacted]');
    expect(text).not.toContain('hush');
  });
});
