import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { microsOf } from '../../src/lib/decimal.ts';
import { chargesIn } from '../../src/service/billing/charge-table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TestService, type TestUser } from './test-service.ts';

const TOOL = { class: 'CommandLineTool', label: 'Nothing', inputs: [], outputs: [] };
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const DAY_MS = 24 * 60 * 60 * 1000;

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let clock: FakeClock;
let group: string;

beforeAll(async () => {
  clock = new FakeClock(Date.UTC(2026, 0, 30));
  service = await TestService.start({ clock });
  alice = await service.user('alice');
  bob = await service.user('bob');
});
afterAll(() => service.stop());
beforeEach(async () => {
  group = await service.operator.createBillingGroup('alice', 'Lab funds');
});

const refused = (status: number, code: number) => ({
  status,
  body: expect.objectContaining({ status, code }),
});
const spending = (path = '') => alice.get(`/billing/groups/${group}/breakdown${path}`);
const usd = (amount: string) => ({ currency: 'USD', amount });

async function project(name: string, user = alice): Promise<string> {
  const { id } = (await user.post('/projects', { name, ...(user === alice ? { billing_group: group } : {}) }))
    .body;
  await user.post(`/apps/${id}/nothing/raw`, TOOL);
  return id;
}

/** Runs a task, and ends it as an executor would. */
async function spend(projectId: string, amount: string): Promise<string> {
  const body = { project: projectId, app: `${projectId}/nothing`, name: `Cost ${amount}` };
  const { id } = (await alice.post('/tasks?action=run', body)).body;
  const end = {
    amount_micros: microsOf(amount),
    status: 'COMPLETED',
    time_finished: new Date(clock.now() + 60_000).toISOString(),
  };
  await chargesIn(service.services.store).update(id, end);
  return id;
}

test('the root leads to groups and invoices', async () => {
  expect((await alice.get('/billing')).body).toMatchObject({
    billing_groups_url: `${service.url}/billing/groups`,
    invoices_url: `${service.url}/billing/invoices`,
  });
});

describe('groups', () => {
  test('are listed short, and read whole, by their owner', async () => {
    const own = await service.operator.createBillingGroup('bob', 'Bob’s');
    const { body, headers } = await bob.get('/billing/groups');
    expect(body.items).toEqual([{ href: `${service.url}/billing/groups/${own}`, id: own, name: 'Bob’s' }]);
    expect(headers.get('x-total-matching-query')).toBe('1');
    expect((await bob.get(`/billing/groups/${own}`)).body).toEqual({
      href: `${service.url}/billing/groups/${own}`,
      id: own,
      owner: 'bob',
      name: 'Bob’s',
      type: 'free',
      pending: false,
      disabled: false,
      balance: { currency: 'USD', amount: 0 },
    });
  });

  test.each(['', '/breakdown', '/breakdown/analysis', '/breakdown/storage', '/breakdown/egress'])(
    'of others do not exist: %s',
    async (path) => {
      expect(await bob.get(`/billing/groups/${group}${path}`)).toMatchObject(refused(404, 4002));
      expect(await alice.get(`/billing/groups/${NOWHERE}${path}`)).toMatchObject(refused(404, 4002));
      expect(await alice.get(`/billing/groups/funds${path}`)).toMatchObject(refused(400, 4005));
    },
  );
});

describe('the breakdown', () => {
  test('has one entry for each project, also where nothing was spent, and adds up exactly', async () => {
    const used = await project('Used');
    const unused = await project('Unused');
    const first = await spend(used, '0.10');
    await clock.advance(1000);
    await spend(used, '0.205');
    const { body } = await spending();
    expect(body.total_spending).toEqual(usd('0.305'));
    expect(body.project_breakdown).toEqual([
      {
        href: `${service.url}/projects/${unused}`,
        analysis_spending: usd('0.00'),
        task_breakdown: [],
      },
      {
        href: `${service.url}/projects/${used}`,
        analysis_spending: usd('0.305'),
        task_breakdown: [
          {
            href: `${service.url}/tasks/${first}`,
            runner_username: 'alice',
            time_started: expect.stringMatching(/Z$/),
            time_finished: expect.stringMatching(/Z$/),
            task_cost: usd('0.10'),
          },
          expect.objectContaining({ task_cost: usd('0.205') }),
        ],
      },
    ]);
  });

  test('keeps what was spent when task and project are gone, without the address of the project', async () => {
    const id = await project('Gone');
    const task = await spend(id, '1.5');
    await alice.post(`/tasks/${task}/actions/abort`);
    await alice.call('DELETE', `/tasks/${task}`);
    await alice.call('DELETE', `/projects/${id}`);
    const { body } = await spending();
    expect(body.total_spending).toEqual(usd('1.50'));
    expect(body.project_breakdown).toHaveLength(1);
    expect(body.project_breakdown[0]).not.toHaveProperty('href');
  });

  test('books a task on the group its project had when it was run', async () => {
    const id = await project('Moved');
    await spend(id, '2');
    const other = await service.operator.createBillingGroup('alice', 'Other');
    await alice.call('PATCH', `/projects/${id}`, { body: { billing_group: other } });
    expect((await spending()).body.total_spending).toEqual(usd('2.00'));
    expect((await alice.get(`/billing/groups/${other}/breakdown`)).body.total_spending).toEqual(usd('0.00'));
  });

  test('of a batch counts its tasks, not the batch', async () => {
    const id = await project('Batch');
    const input = { ...TOOL, inputs: { n: 'int' } };
    await alice.post(`/apps/${id}/nothing/1/raw`, input);
    const batch = { inputs: { n: [1, 2] }, batch_input: 'n', batch_by: { type: 'ITEM' } };
    await alice.post('/tasks?action=run', { project: id, app: `${id}/nothing`, ...batch });
    expect((await spending('/analysis')).headers.get('x-total-matching-query')).toBe('2');
  });
});

describe('the lists', () => {
  test('of analyses name task, app and project, by pages and days', async () => {
    const id = await project('Analyses');
    const task = await spend(id, '3');
    await clock.advance(DAY_MS);
    await spend(id, '4');
    const { body, headers } = await spending('/analysis?limit=1');
    expect(headers.get('x-total-matching-query')).toBe('2');
    expect(body.items).toEqual([
      {
        analysis_type: 'TASK',
        analysis_id: task,
        analysis_name: 'Cost 3',
        analysis_app_name: 'Nothing',
        analysis_status: 'COMPLETED',
        project_name: 'Analyses',
        project_locked: false,
        ran_by: 'alice',
        analysis_cost: { ...usd('3.00'), breakdown: { computation: '3.00', storage: '0.00' } },
        refunded_amount: '0.00',
        time_started: expect.any(String),
        time_finished: expect.any(String),
      },
    ]);
    const [year, month, day] = new Date(clock.now()).toISOString().slice(0, 10).split('-');
    const names = async (query: string) =>
      (await spending(`/analysis?${query}`)).body.items.map(
        (item: { analysis_name: string }) => item.analysis_name,
      );
    expect(await names(`date_from=${month}-${day}-${year}`)).toEqual(['Cost 4']);
    expect(await names(`date_to=${month}-${day}-${year}`)).toEqual(['Cost 3', 'Cost 4']);
    expect(await names(`date_to=01-01-2020`)).toEqual([]);
    for (const bad of ['2026-01-01', '13-01-2026', '02-30-2026', 'x']) {
      expect(await spending(`/analysis?date_from=${bad}`)).toMatchObject(refused(400, 90000));
    }
  });

  test('of storage tell what the service keeps for each project', async () => {
    const id = await project('Stored');
    const { root_folder } = (await alice.get(`/projects/${id}`)).body;
    await alice.upload(root_folder, 'a', '12345');
    const archived = await alice.upload(root_folder, 'b', '123');
    await service.operator.markFile(archived.id, { archived: true });
    await project('Empty');
    const { body, headers } = await spending('/storage');
    expect(headers.get('x-total-matching-query')).toBe('1');
    expect(body.items).toEqual([
      {
        project_name: 'Stored',
        project_created_by: 'alice',
        project_locked: false,
        location: 'cloud:local-1',
        active: { size: '5', unit: 'B', cost: usd('0.00') },
        archived: { size: '3', unit: 'B', cost: usd('0.00') },
      },
    ]);
  });

  test('of storage goes by pages', async () => {
    for (const name of ['Paged one', 'Paged two']) {
      const { root_folder } = (await alice.get(`/projects/${await project(name)}`)).body;
      await alice.upload(root_folder, 'a', 'a');
    }
    const first = await spending('/storage?limit=1');
    expect(first.headers.get('x-total-matching-query')).toBe('2');
    const second = await spending('/storage?limit=1&offset=1');
    const names = [first, second].map(({ body }) => body.items[0].project_name);
    expect(names).toEqual(['Paged one', 'Paged two']);
  });

  test.each(['analysis', 'storage', 'egress'])(
    'of %s refuse days and invoices that are none',
    async (list) => {
      expect(await spending(`/${list}?date_from=2026-01-01`)).toMatchObject(refused(400, 90000));
      expect(await spending(`/${list}?date_to=02-30-2026`)).toMatchObject(refused(400, 90000));
      expect(await spending(`/${list}?invoice_id=nonsense`)).toMatchObject(refused(404, 4002));
      expect(await spending(`/${list}?date_from=01-01-2026&date_to=12-31-2026`)).toMatchObject({
        status: 200,
      });
    },
  );

  test('say of a project that it is locked', async () => {
    const id = await project('Locked');
    await alice.call('PATCH', `/projects/${id}`, { body: { settings: { locked: true } } });
    const { root_folder } = (await alice.get(`/projects/${id}`)).body;
    await alice.upload(root_folder, 'a', 'a');
    await spend(id, '1');
    for (const list of ['/analysis', '/storage']) {
      expect((await spending(list)).body.items).toMatchObject([{ project_locked: true }]);
    }
  });

  test('of egress is empty: nobody is charged for it', async () => {
    expect((await spending('/egress')).body.items).toEqual([]);
  });
});

test('the price of a task is for computing', async () => {
  const id = await spend(await project('Priced'), '1.25');
  expect((await alice.get(`/tasks/${id}`)).body.price).toEqual({
    ...usd('1.25'),
    breakdown: { computation: '1.25', storage: '0.00' },
  });
});

test.each([
  ['', 'total_spending'],
  ['/analysis', 'analysis_name'],
])('`fields` works on the breakdown%s', async (path, field) => {
  await spend(await project(`Fields of ${field}`), '1');
  const { body } = await spending(`${path}?fields=${field}`);
  expect(Object.keys(body.items?.[0] ?? body)).toEqual([field]);
});

describe('invoices', () => {
  test('are one for each month, the newest first, pending until it is over', async () => {
    const id = await project('Invoiced');
    await clock.advance(Date.UTC(2027, 1, 28) - clock.now());
    await spend(id, '5');
    await clock.advance(2 * DAY_MS);
    await spend(id, '6.25');
    const query = `billing_group=${group}`;
    const { body } = await alice.get(`/billing/invoices?${query}`);
    expect(body.items).toMatchObject([
      { pending: true, total: usd('6.25'), invoice_period: { from: '2027-03-01T00:00:00Z' } },
      { pending: false, total: usd('5.00'), invoice_period: { from: '2027-02-01T00:00:00Z' } },
    ]);
    const [, older] = body.items;
    expect((await alice.get(`/billing/invoices/${older.id}`)).body).toEqual(older);
    const analyses = await spending(`/analysis?invoice_id=${older.id}`);
    expect(analyses.body.items).toMatchObject([{ analysis_name: 'Cost 5' }]);
    for (const days of ['date_from=03-01-2027', 'date_to=02-27-2027']) {
      expect((await spending(`/analysis?invoice_id=${older.id}&${days}`)).body.items).toEqual([]);
    }
    expect((await alice.get('/billing/invoices')).body.items[0].id).toBe(body.items[0].id);
    const paged = await alice.get(`/billing/invoices?${query}&limit=1&offset=1`);
    expect(paged.headers.get('x-total-matching-query')).toBe('2');
    expect(paged.body.items).toEqual([older]);
  });

  test('of others, of other groups, and of empty months do not exist', async () => {
    const id = await project('Secret');
    await spend(id, '7');
    const [invoice] = (await alice.get(`/billing/invoices?billing_group=${group}`)).body.items;
    expect(await bob.get(`/billing/invoices/${invoice.id}`)).toMatchObject(refused(404, 4002));
    expect((await bob.get('/billing/invoices')).body.items).toEqual([]);
    expect(await bob.get(`/billing/invoices?billing_group=${group}`)).toMatchObject(refused(404, 4002));
    for (const wrong of ['nonsense', `${group}-1999-01`, `${group}-2026-13`]) {
      expect(await alice.get(`/billing/invoices/${wrong}`)).toMatchObject(refused(404, 4002));
    }
    const other = await service.operator.createBillingGroup('alice', 'Other');
    const answer = await alice.get(`/billing/groups/${other}/breakdown/analysis?invoice_id=${invoice.id}`);
    expect(answer).toMatchObject(refused(404, 4002));
  });
});
