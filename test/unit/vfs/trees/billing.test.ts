import { beforeEach, expect, it } from 'vitest';
import { billing } from '../../../../src/vfs/trees/billing/billing.ts';
import { apiError } from '../../../support/fake-api.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakeRecords } from '../../../support/fake-records.ts';
import { SyntheticWorld } from '../../../support/synthetic-world.ts';

const ID = '0f4b1d5c-8a0e-4a3f-9f5e-111111111111';
const GROUP = 'Funds, of ä~0f4b1d5c';
const BREAKDOWN = `{
  "href": "https://x/v2/billing/groups/${ID}/breakdown",
  "project_breakdown": [
    {"href": "https://x/v2/projects/lab/rna", "analysis_spending": {"currency": "USD", "amount": "0.30"},
     "task_breakdown": [
      {"href": "https://x/v2/tasks/t1", "runner_username": "ann, \\"a\\"", "time_started": "2026-01-02T03:04:05Z",
       "time_finished": "2026-01-02T04:04:05Z", "task_cost": {"currency": "USD", "amount": "0.10"}},
      {"href": "https://x/v2/tasks/t2", "runner_username": "bob", "time_started": "2026-01-02T03:04:05Z",
       "task_cost": {"currency": "USD", "amount": 12345678901234567.10}}
     ]},
    {"analysis_spending": {"currency": "USD", "amount": "1"}, "task_breakdown": []},
    {"href": "https://x/v2/projects/lab/dna%20x", "analysis_spending": {"currency": "USD", "amount": 0.20}, "task_breakdown": []}
  ],
  "total_spending": {"currency": "USD", "amount": 12345678901234568.60}
}`;

let records: FakeRecords;
let world: SyntheticWorld;
beforeEach(() => {
  records = new FakeRecords();
  records.groups.push({ id: ID, name: 'Funds, of ä' });
  records.ones.set(`breakdown ${ID}`, BREAKDOWN);
  world = new SyntheticWorld(billing({ api: { records }, clock: new FakeClock(), ttlMs: 60_000 }));
});

it('a billing group is told by one request, with the amounts as the platform wrote them', async () => {
  expect(await world.list()).toEqual([GROUP]);
  const names = ['total', 'breakdown.json', 'breakdown.csv', 'breakdown.tsv', 'by-project', 'invoices'];
  expect(await world.list(GROUP)).toEqual(names);
  expect(records.taken()).toEqual(['billing groups 0 100']);
  expect(await world.read(`${GROUP}/total`)).toBe('12345678901234568.60 USD\n');
  expect(await world.read(`${GROUP}/breakdown.json`)).toContain('"amount": 12345678901234567.10\n');
  expect(await world.read(`${GROUP}/breakdown.tsv`)).toBe(
    'project\ttask\tuser\tstart\tend\tamount\tcurrency\n' +
      'lab/rna\tt1\tann, "a"\t2026-01-02T03:04:05Z\t2026-01-02T04:04:05Z\t0.10\tUSD\n' +
      'lab/rna\tt2\tbob\t2026-01-02T03:04:05Z\t\t12345678901234567.10\tUSD\n',
  );
  expect(await world.read(`${GROUP}/breakdown.csv`)).toContain('lab/rna,t1,"ann, ""a""",');
  expect(await world.list(`${GROUP}/by-project`)).toEqual(['lab']);
  expect(await world.list(`${GROUP}/by-project/lab`)).toEqual(['rna', 'dna x']);
  expect(await world.read(`${GROUP}/by-project/lab/dna x`)).toBe('0.20 USD\n');
  expect(records.taken()).toEqual([`breakdown ${ID}`]);
});

it('a group is found by the digits of its id, whatever stands before them, and by its id', async () => {
  expect(await world.read('renamed~0f4b1d5c/total')).toContain('USD');
  expect(await world.read(`${ID}/total`)).toContain('USD');
  expect(await world.stat('Funds~ffffffff')).toMatchObject({ node: undefined });
  expect(await world.stat('Funds')).toMatchObject({ node: undefined });
});

it('a group without right is EACCES, with what the platform says', async () => {
  records.refused.set('breakdown', apiError(403, 4001, 'You may not use this billing group.'));
  expect(await world.list(GROUP)).toContain('total');
  const refused = expect.objectContaining({ message: 'You may not use this billing group.', status: 403 });
  await expect(world.stat(`${GROUP}/total`)).rejects.toEqual(refused);
  await expect(world.stat(ID)).rejects.toEqual(refused);
});

it('invoices are files of their list', async () => {
  records.invoices.push({ id: 'i-1', total: { amount: '1.00' } }, { id: 'i-2' });
  expect(await world.list(`${GROUP}/invoices`)).toEqual(['i-1.json', 'i-2.json']);
  expect(await world.read(`${GROUP}/invoices/i-1.json`)).toContain('"amount": "1.00"');
  expect(records.taken()).toEqual(['billing groups 0 100', `invoices ${ID} 0 100`]);
});
