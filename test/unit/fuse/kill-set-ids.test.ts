import { expect, it } from 'vitest';
import * as files from '../../../src/fuse/operations/files.ts';
import { BodyReader } from '../../../src/fuse/protocol/body-reader.ts';
import type { Request } from '../../../src/fuse/request.ts';
import type { FileSystem } from '../../../src/vfs/file-system.ts';
import { u32, u64 } from './wire.ts';

const asked: unknown[] = [];
const released: unknown[] = [];
const fs = {
  open: async () => ({ handle: 7, keepCache: false, directIo: false }),
  write: async () => 1,
  setattr: async (...given: unknown[]) => void asked.push(given.slice(0, 3)),
  release: async (handle: unknown) => void released.push(handle),
} as unknown as FileSystem;
const request = { node: 5, signal: AbortSignal.abort() } as Request;

function reading(...fields: readonly Buffer[]): BodyReader {
  const bytes = Uint8Array.from(Buffer.concat(fields));
  const reader = new BodyReader(bytes.buffer);
  reader.seek(0, bytes.length);
  return reader;
}

it.each([
  [
    'a write',
    (flag: number) =>
      files.write.call(
        fs,
        reading(u64(7), u64(0), u32(1), u32(flag << 2), u64(0), u64(0), Buffer.from('x')),
        request,
      ),
  ],
  ['an open', (flag: number) => files.open.call(fs, reading(u32(0), u32(flag)), request)],
])('%s takes the set-user-ID bit where the kernel asks for that', async (_, call) => {
  asked.length = 0;
  await call(0);
  expect(asked).toEqual([]);
  await call(1);
  expect(asked).toEqual([[5, { killSuidgid: true }, 7]]);
});

/** As the file system does: an interrupt ends the waiting. */
const interruptible = {
  ...fs,
  setattr: async (...[, , , { signal }]: Parameters<FileSystem['setattr']>) => signal.throwIfAborted(),
} as unknown as FileSystem;
const write = (of: FileSystem) =>
  files.write.call(
    of,
    reading(u64(7), u64(0), u32(1), u32(1 << 2), u64(0), u64(0), Buffer.from('x')),
    request,
  );

it('a write that was made is no EINTR, after which a program would append once more', async () => {
  expect(await write(interruptible)).toBe(1);
});

it('an open that fails for that leaves no handle, which nobody would release', async () => {
  released.length = 0;
  const refusing = { ...fs, setattr: () => Promise.reject(new Error('refused')) } as FileSystem;
  const opening = files.open.call(refusing, reading(u32(0), u32(1)), request);
  await expect(opening).rejects.toThrow('refused');
  expect(released).toEqual([7]);
});
