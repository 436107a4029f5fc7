/** The decoder of the kernel's requests, told what no kernel says: it refuses, and goes on. */
import { expect, it } from 'vitest';
import { OPCODE } from '../../src/fuse/protocol/opcodes.ts';
import { Session } from '../../src/fuse/session.ts';
import { errnoNumber } from '../../src/lib/errno.ts';
import { FsError } from '../../src/vfs/errors/fs-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MemoryFs } from '../support/memory-fs.ts';
import { ScriptedKernel } from '../unit/fuse/scripted-kernel.ts';
import { u32 } from '../unit/fuse/wire.ts';
import { amount, Random, SEED } from './seeded.ts';

const REQUESTS = amount('LONG_REQUESTS', 100_000);
/** Each begins with a session of its own. */
const REQUESTS_OF_A_SESSION = 100;
/** INIT and DESTROY would end what is tried. */
const OPCODES = Object.values(OPCODE).filter((opcode) => opcode !== OPCODE.INIT && opcode !== OPCODE.DESTROY);
const LARGEST_BODY = 4000;

function errnoOf(error: unknown): number {
  return errnoNumber(error instanceof FsError ? error.errno : 'EIO');
}

/** Bytes of any kind, among them ends of names and numbers that are small or all ones. */
function anyBody(random: Random): Buffer {
  const body = Buffer.alloc(random.below(random.of([1, 16, 64, 200, LARGEST_BODY])));
  for (let at = 0; at < body.length; at += 1)
    body[at] = random.of([0, 0, 0, 1, 2, 0x61, 0x2f, 0xff, random.below(256)]);
  return body;
}

it('are answered or dropped, whatever they are, and the session goes on', {
  timeout: 3_600_000,
}, async () => {
  const random = new Random(SEED);
  for (let done = 0; done < REQUESTS; done += REQUESTS_OF_A_SESSION) {
    const kernel = new ScriptedKernel();
    const fs = new MemoryFs({ ttlMs: 1500 });
    fs.place('file', Buffer.from('hello'));
    const session = new Session({
      transport: kernel,
      fs,
      errnoOf,
      clock: new FakeClock(),
      wantsToStop: () => true,
    });
    session.start();
    const init = [u32(7), u32(45), u32(131072), u32(-1), u32(-1)];
    kernel.ask({ opcode: OPCODE.INIT, body: Buffer.concat(init) });
    for (let count = 0; count < REQUESTS_OF_A_SESSION && kernel.freeSlots.length > 1; count += 1) {
      const opcode = random.next() < 0.9 ? random.of(OPCODES) : random.below(2 ** 32);
      const node = random.of([0, 1, 1, 2, 3, 99, 2 ** 32]);
      kernel.request({ opcode, node, body: anyBody(random) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { error } = kernel.ask({ opcode: OPCODE.GETATTR, body: Buffer.alloc(16) });
    expect(error, `MODEL_SEED=${SEED}, by request ${done + REQUESTS_OF_A_SESSION}`).toBe(0);
    kernel.unmount();
  }
});
