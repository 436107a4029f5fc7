from datetime import datetime

from sevenbridges.errors import BadRequest, NotFound

from checks import check, equal, holds, refused


def group_of(world):
    return world.alice.billing_groups.get(world.facts['group'])


@check('billing groups are listed and read')
def groups(world):
    group = group_of(world)
    equal((group.name, group.owner, group.type), ('Lab funds', 'alice', 'free'))
    equal((group.pending, group.disabled), (False, False))
    equal((group.balance.currency, group.balance.amount), ('USD', 0.0))
    equal([g.id for g in world.alice.billing_groups.query(limit=1)], [group.id])
    equal(world.alice.billing_groups.query()[0].reload().id, group.id)
    equal(list(world.bob.billing_groups.query()), [])
    refused(NotFound, 4002, world.bob.billing_groups.get, group.id)
    refused(BadRequest, 4005, world.alice.billing_groups.get, 'nonsense')


@check('the breakdown of analyses has every task that ran, by day and by invoice')
def analyses(world):
    project = world.project(billing_group=world.facts['group'])
    app = world.app(project)
    task = project.create_task('Costs', app, inputs={'text': world.file(project, 'f')}, run=True)
    group = group_of(world)
    [charged] = [c for c in group.analysis_breakdown(limit=100).all() if c.analysis_id == task.id]
    equal((charged.analysis_name, charged.analysis_type, charged.ran_by), ('Costs', 'TASK', 'alice'))
    equal((charged.project_name, charged.analysis_app_name), (project.name, app.name))
    equal((charged.analysis_cost.currency, charged.refunded_amount, charged.project_locked), ('USD', 0.0, False))
    holds(float(charged.analysis_cost.amount) >= 0 and charged.time_started, 'its cost and time')
    old = world.facts['charge']
    equal([(c.analysis_id, c.analysis_cost.amount) for c in
           group.analysis_breakdown(date_from='01-01-2020', date_to='12-31-2020')], [(old['task'], old['amount'])])
    invoice = world.facts['invoice']
    equal([c.analysis_id for c in group.analysis_breakdown(invoice_id=invoice)], [old['task']])
    equal([c.field('analysis_name') for c in group.analysis_breakdown(fields='analysis_id', invoice_id=invoice)],
          [None])
    refused(BadRequest, 90000, group.analysis_breakdown, date_from='yesterday')
    task.abort()


@check('the breakdowns of storage and egress are lists too')
def storage_and_egress(world):
    project = world.project(billing_group=world.facts['group'])
    world.file(project, 'f', b'x' * 1024)
    group = group_of(world)
    [stored] = [s for s in group.storage_breakdown(limit=100).all() if s.project_name == project.name]
    equal((stored.project_created_by, stored.active.cost.currency), ('alice', 'USD'))
    holds(stored.active.size > 0 and stored.archived.size == 0 and stored.location, 'the bytes are told')
    egress = group.egress_breakdown(date_from='01-01-2020')
    equal((egress.total, list(egress)), (0, []))


@check('invoices are of months in which something ran')
def invoices(world):
    invoice = world.alice.invoices.get(world.facts['invoice'])
    amount = float(world.facts['charge']['amount'])
    equal((invoice.pending, invoice.total.amount, invoice.analysis_costs.amount), (False, amount, amount))
    equal((invoice.invoice_period.from_, invoice.storage_costs.currency), (datetime(2020, 5, 1), 'USD'))
    holds(invoice.invoice_period.to > invoice.invoice_period.from_, 'the period has an end')
    holds(invoice in world.alice.invoices.query(limit=100), 'it is in the list')
    refused(NotFound, 4002, world.alice.invoices.get, 'nonsense')


@check('the breakdown of the law adds up exactly')
def breakdown(world):
    answer = world.alice.get(f'/billing/groups/{world.facts["group"]}/breakdown').json()
    spent = [p['analysis_spending']['amount'] for p in answer['project_breakdown']]
    equal(sum(map(float, spent)), float(answer['total_spending']['amount']))
    tasks = [t for p in answer['project_breakdown'] for t in p['task_breakdown']]
    holds(world.facts['charge']['amount'] in [t['task_cost']['amount'] for t in tasks], 'the old task is in it')
