import { beforeEach, describe, expect, it } from 'vitest';
import { Invalidations } from '../../../src/fuse/invalidations.ts';
import type { NodeId } from '../../../src/vfs/file-system.ts';

const DIRECTORY = 2 as NodeId;
const FILE = 3 as NodeId;
const [INVAL_INODE, INVAL_ENTRY, INC_EPOCH] = [2, 3, 8];

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('invalidations', () => {
  let batches: Buffer[][];
  let invalidations: Invalidations;

  beforeEach(() => {
    batches = [];
    invalidations = new Invalidations((messages) =>
      batches.push(messages.map((bytes) => Buffer.from(bytes))),
    );
    invalidations.agree(45);
  });

  const codes = (): number[] => batches.flat().map((message) => message.readInt32LE(4));

  it('are sent in one batch, not before the current turn of the loop has ended', async () => {
    invalidations.invalidateEntry(DIRECTORY, 'a');
    invalidations.invalidateNode(FILE);
    expect(batches).toHaveLength(0);
    await nextTurn();
    expect(batches).toHaveLength(1);
    expect(codes()).toEqual([INVAL_ENTRY, INVAL_INODE]);
  });

  it('of the same thing become one, from the lowest offset', async () => {
    for (const offset of [-1, 8192, 4096]) invalidations.invalidateNode(FILE, offset);
    invalidations.invalidateEntry(DIRECTORY, 'a');
    invalidations.invalidateEntry(DIRECTORY, 'a');
    await nextTurn();
    expect(codes()).toEqual([INVAL_ENTRY, INVAL_INODE]);
    expect(batches[0]?.[1]?.readBigInt64LE(24)).toBe(4096n);
  });

  it('gather while a batch is being written', async () => {
    invalidations.invalidateEntry(DIRECTORY, 'a');
    await nextTurn();
    for (let i = 0; i < 10; i++) invalidations.invalidateEntry(DIRECTORY, `b${i % 2}`);
    await nextTurn();
    expect(batches).toHaveLength(1);
    invalidations.written();
    expect(batches[1]).toHaveLength(2);
  });

  it('wait for requests that were under way on the node, and for no later one', async () => {
    const earlier = invalidations.hold([DIRECTORY]);
    invalidations.invalidateEntry(DIRECTORY, 'a');
    const later = invalidations.hold([DIRECTORY]);
    await nextTurn();
    expect(batches).toHaveLength(0);
    invalidations.release([DIRECTORY], earlier);
    await nextTurn();
    expect(batches).toHaveLength(1);
    invalidations.release([DIRECTORY], later);
  });

  it('of other nodes pass those that wait', async () => {
    invalidations.hold([DIRECTORY]);
    invalidations.invalidateEntry(DIRECTORY, 'a');
    invalidations.invalidateNode(FILE);
    await nextTurn();
    expect(codes()).toEqual([INVAL_INODE]);
  });

  it('of attributes alone wait for nobody', async () => {
    invalidations.hold([FILE]);
    invalidations.invalidateNode(FILE, -1);
    await nextTurn();
    expect(codes()).toEqual([INVAL_INODE]);
  });

  it('of many names become one message that takes no lock', async () => {
    invalidations.hold([DIRECTORY]);
    for (let i = 0; i < 1000; i++) invalidations.invalidateEntry(DIRECTORY, `name ${i}`);
    await nextTurn();
    expect(codes()).toEqual([INC_EPOCH]);
  });

  it('of many names go one by one to a kernel before 7.44', async () => {
    invalidations.agree(43);
    for (let i = 0; i < 1000; i++) invalidations.invalidateEntry(DIRECTORY, `name ${i}`);
    await nextTurn();
    expect(batches[0]).toHaveLength(1000);
  });

  it('of a name are not sent when the kernel has looked it up since', async () => {
    const lookup = invalidations.hold([DIRECTORY]);
    for (const name of ['a', 'b']) invalidations.invalidateEntry(DIRECTORY, name);
    invalidations.lookedUp(DIRECTORY, 'a');
    invalidations.release([DIRECTORY], lookup);
    await nextTurn();
    expect(batches.flat().map((message) => message.subarray(32).toString())).toEqual(['b\0']);
  });

  it('of a name are sent when they come after its lookup', async () => {
    invalidations.lookedUp(DIRECTORY, 'a');
    invalidations.invalidateEntry(DIRECTORY, 'a');
    await nextTurn();
    expect(codes()).toEqual([INVAL_ENTRY]);
  });

  it('end with the mount', async () => {
    invalidations.invalidateEntry(DIRECTORY, 'a');
    invalidations.close();
    invalidations.invalidateNode(FILE);
    await nextTurn();
    expect(batches).toHaveLength(0);
  });
});
