import { expect, test } from 'vitest';
import { type AuditRow, auditIn } from '../../../../../src/service/operations/audit/audit-table.ts';
import { AuditTrail } from '../../../../../src/service/operations/audit/audit-trail.ts';
import { type Connection, Store } from '../../../../../src/service/store/store.ts';
import { LinesLogger } from '../../../../service/test-service.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { Gate } from '../../../../support/gate.ts';

/** A database that can be away, or slow. */
class Database {
  readonly rows: AuditRow[] = [];
  readonly batches: number[] = [];
  away = false;
  gate: Gate | undefined;

  async append(entries: readonly AuditRow[]): Promise<void> {
    await this.gate?.opened;
    if (this.away) throw new Error('the database is away');
    this.batches.push(entries.length);
    this.rows.push(...entries);
  }
}

function world() {
  const database = new Database();
  const logger = new LinesLogger();
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const store = new Store({} as Connection);
  auditIn(store).append = (entries) => database.append(entries);
  const trail = new AuditTrail({ store, clock, logger });
  let count = 0;
  const record = (): void => {
    count += 1;
    const context = { atMs: clock.now(), requestId: `r${count}`, username: 'alice' };
    trail.record(context, [{ action: 'file.edit', object: `f${count}`, status: 200 }]);
  };
  const objects = () => database.rows.map(({ object }) => object);
  return { database, logger, clock, trail, record, objects };
}

test('what comes while something is written is written together, in order', async () => {
  const { database, trail, record, objects } = world();
  database.gate = new Gate();
  for (let n = 0; n < 5; n += 1) record();
  database.gate.open();
  await trail.written();
  expect(database.batches).toEqual([1, 4]);
  expect(objects()).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
  const ids = database.rows.map(({ id }) => id);
  expect([...ids].sort()).toEqual(ids);
});

test('entries wait for a database that is away', async () => {
  const { database, clock, trail, record, objects, logger } = world();
  database.away = true;
  record();
  record();
  await expect.poll(() => logger.lines.length).toBeGreaterThan(0);
  database.away = false;
  await clock.advance(1000);
  await trail.written();
  expect(objects()).toEqual(['f1', 'f2']);
});

test('an orderly end writes what waits, and tells the log what it cannot write', async () => {
  const { database, trail, record, objects, logger } = world();
  record();
  await trail.close();
  expect(objects()).toEqual(['f1']);
  database.away = true;
  record();
  await trail.close();
  expect(logger.lines.at(-1)).toMatchObject({
    level: 'error',
    text: 'audit entry not written',
    fields: { object: 'f2', username: 'alice' },
  });
});

test('of too many that wait the oldest go to the log', async () => {
  const { database, trail, record, logger } = world();
  database.gate = new Gate();
  for (let n = 0; n < 10_005; n += 1) record();
  const told = logger.lines.filter(({ text }) => text === 'audit entry not written');
  expect(told.map(({ fields }) => (fields as AuditRow).object)).toEqual(['f2', 'f3', 'f4', 'f5']);
  database.gate.open();
  await trail.close();
  expect(database.rows).toHaveLength(10_001);
});

test('no entry is left behind that comes just as the one before has been written', async () => {
  for (let steps = 0; steps < 20; steps += 1) {
    const { trail, record, objects } = world();
    record();
    for (let step = 0; step < steps; step += 1) await undefined;
    record();
    await trail.close();
    expect(objects()).toEqual(['f1', 'f2']);
  }
});

test('a call that did nothing to any object is no entry, and nobody waits for it', async () => {
  const { clock, trail, record, objects } = world();
  trail.record({ atMs: clock.now(), requestId: 'r', username: 'alice' }, []);
  await trail.written();
  record();
  await trail.close();
  expect(objects()).toEqual(['f1']);
});
