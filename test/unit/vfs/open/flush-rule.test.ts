import { describe, expect, it } from 'vitest';
import { flushAction } from '../../../../src/vfs/open/flush-rule.ts';

const written = { unpublished: 'written', byOpener: true, exiting: false, writeBack: false } as const;

describe('flushAction', () => {
  it('publishes what the opener wrote', () => {
    expect(flushAction(written)).toBe('publish');
  });

  it('does nothing when all is published', () => {
    expect(flushAction({ ...written, unpublished: 'none' })).toBe('nothing');
  });

  it('publishes nothing for a file only made or emptied, but owes it', () => {
    expect(flushAction({ ...written, unpublished: 'begun' })).toBe('commit');
    expect(flushAction({ ...written, unpublished: 'begun', byOpener: false })).toBe('keep');
  });

  it('lets the upload follow where the closer need not wait for it', () => {
    expect(flushAction({ ...written, writeBack: true })).toBe('follow');
    expect(flushAction({ ...written, writeBack: true, byOpener: false })).toBe('keep');
    expect(flushAction({ ...written, writeBack: true, exiting: true })).toBe('keep');
  });

  it('leaves publishing to the opener when a child closes its descriptor', () => {
    expect(flushAction({ ...written, byOpener: false })).toBe('keep');
  });

  it('does not make a dying process wait for the upload', () => {
    expect(flushAction({ ...written, exiting: true })).toBe('keep');
  });
});
