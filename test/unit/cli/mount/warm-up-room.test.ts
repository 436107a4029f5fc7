import { beforeEach, describe, expect, it } from 'vitest';
import { WarmUpRoom } from '../../../../src/cli/mount/warm-up-room.ts';
import type { ContentVersion } from '../../../../src/content/ports.ts';
import { DiskWorld } from '../../content/disk/disk-world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

let room: WarmUpRoom;
beforeEach(async () => {
  room = await WarmUpRoom.measure(new DiskWorld().cache({ sizeBytes: MIB }));
});

const file = (fileId: string): ContentVersion => ({ kind: 'file', fileId, sizeBytes: 600 * KIB });
const [one, other] = [file('one'), file('other')];

describe('the room of a version that could not be brought in', () => {
  beforeEach(() => room.take(one));

  it('is there for others, and for itself', () => {
    room.giveBack(one, 0);
    room.take(other);
    expect(() => room.take(one)).toThrow('does not fit');
    room.giveBack(other, 0);
    room.take(one);
    expect(() => room.take(other)).toThrow('does not fit');
  });

  it('is still taken by what is there of it', () => {
    room.giveBack(one, 500 * KIB);
    expect(() => room.take(other)).toThrow('does not fit');
    room.take(one);
  });

  it('is still taken while another brings it in, or has', () => {
    room.take(one);
    room.giveBack(one, 0);
    expect(() => room.take(other)).toThrow('does not fit');
    room.giveBack(one, 0);
    room.take(other);
  });
});
