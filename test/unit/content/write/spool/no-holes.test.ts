/** A file larger than --spool-size where what was sent of it cannot be let go of: no fallocate(1), or none that punches holes. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Draft } from '../../../../../src/content/ports.ts';
import { patterned } from '../../fake-platform.ts';
import {
  bytesOf,
  directory,
  forever,
  KIB,
  newDraft,
  published,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

const bytes = patterned(300 * KIB);

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The programs of this machine, as far as this process finds them from here on. */
async function onlyProgram(script: string | undefined): Promise<void> {
  const path = join(directory.name, 'bin');
  await mkdir(path);
  vi.stubEnv('PATH', path);
  if (script === undefined) return;
  await writeFile(join(path, 'fallocate'), `#!/bin/sh\n${script}\n`);
  await chmod(join(path, 'fallocate'), 0o755);
}

function smallSpool(): Promise<Draft> {
  return newDraft(writerOf({ spoolSizeBytes: 64 * KIB, partSizeBytes: 16 * KIB }));
}

describe.each([
  [
    'there is no fallocate(1)',
    undefined,
    /the program fallocate \(util-linux\) is not there; raise --spool-size$/,
  ],
  [
    'the file system keeps no holes',
    'echo "fallocate: fallocate failed: Operation not supported" >&2; exit 1',
    /fallocate: fallocate failed: Operation not supported; raise --spool-size$/,
  ],
])('when %s', (_, script, reason) => {
  it('there is no space for it, which tells what to do, and nothing is let go of', async () => {
    await onlyProgram(script);
    const draft = await smallSpool();
    await expect(writeInPieces(draft, bytes, 4 * KIB)).rejects.toMatchObject({
      kind: 'no-space',
      message: expect.stringMatching(reason),
    });
    const written = bytes.subarray(0, draft.sizeBytes);
    expect((await bytesOf(draft)).equals(written)).toBe(true);
    await draft.publish(forever);
    expect(published()?.equals(written)).toBe(true);
  });
});
