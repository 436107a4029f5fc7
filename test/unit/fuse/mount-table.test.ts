import { describe, expect, it } from 'vitest';
import { mountedOn, parseMountInfoLine } from '../../../src/fuse/mount-table.ts';

describe('the mount table', () => {
  it('reads place, type and device, with optional fields and escaped blanks', () => {
    const line =
      '36 35 0:39 / /home/me/my\\040data rw,nosuid shared:1 master:2 - fuse.svcfs svcfs rw,user_id=0';
    expect(parseMountInfoLine(line)).toEqual({
      mountPoint: '/home/me/my data',
      type: 'fuse.svcfs',
      deviceMinor: 39,
      userId: 0,
    });
  });

  it('tells of other file systems no user who mounted', () => {
    const line = '36 35 8:1 / / rw - ext4 /dev/sda1 rw,no_user_id=3';
    expect(parseMountInfoLine(line)).toEqual({ mountPoint: '/', type: 'ext4', deviceMinor: 1 });
  });

  it('skips lines that are not understood', () => {
    expect(parseMountInfoLine('')).toBeUndefined();
  });

  it('knows the root and not a plain directory', async () => {
    expect((await mountedOn('/proc'))?.type).toBe('proc');
    expect(await mountedOn('/proc/self')).toBeUndefined();
  });
});
