import { expect, it } from 'vitest';
import * as files from '../../../src/fuse/operations/files.ts';
import { BodyReader } from '../../../src/fuse/protocol/body-reader.ts';
import type { Request } from '../../../src/fuse/request.ts';
import type { FileSystem } from '../../../src/vfs/file-system.ts';
import { u32, u64 } from './wire.ts';

const asked: unknown[] = [];
const fs = {
  open: async () => ({ handle: 7, keepCache: false, directIo: false }),
  write: async () => 1,
  setattr: async (...given: unknown[]) => void asked.push(given.slice(0, 3)),
} as unknown as FileSystem;
const request = { node: 5 } as Request;

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
