from datetime import datetime, timedelta

from sevenbridges.errors import BadRequest, Conflict, Forbidden, NotFound, SbgError, TaskValidationError

from checks import check, equal, holds, refused
from world import TOOL


class Lab:
    """A project with an app and files, and tasks of it."""

    def __init__(self, world, document=TOOL):
        self.world = world
        self.project = world.project()
        self.app = world.app(self.project, document)
        self.file = world.file(self.project, 'text.txt')

    def task(self, **options):
        task = {'name': 'Task', 'inputs': {'text': self.file}, 'project': self.project, 'app': self.app}
        return self.world.alice.tasks.create(**{**task, **options})


@check('a task is made as a draft, whole, and read the same')
def create(world):
    lab = Lab(world)
    task = lab.task(description='Why', interruptible=True, execution_settings={'max_parallel_instances': 2},
                    output_location={'main_location': 'folder'})
    read = world.alice.tasks.get(task.id)
    equal((read.status, read.name, read.description, read.type), ('DRAFT', 'Task', 'Why', 'v2'))
    equal((read.project, read.app, read.created_by), (lab.project.id, f'{lab.app.id}/0', 'alice'))
    text = read.inputs['text']
    equal((text.id, text.name, read.inputs['limit']), (lab.file.id, 'text.txt', None))
    equal(read.outputs['count'], None)
    equal((read.use_interruptible_instances, read.batch), (True, False))
    equal(read.execution_settings['max_parallel_instances'], 2)
    equal(read.output_location['main_location'], 'folder')
    holds(read.created_time and not read.errors, 'it has a time and no errors')


@check('a task of a revision uses that revision, with folders and lists as inputs too')
def inputs(world):
    document = {**TOOL, 'inputs': [{'id': 'files', 'type': 'File[]'}, {'id': 'dir', 'type': 'Directory?'},
                                   {'id': 'record', 'type': 'Any'}]}
    lab = Lab(world, document)
    world.alice.apps.create_revision(lab.app.id, 1, document)
    folder = world.alice.files.create_folder('folder', project=lab.project)
    task = lab.task(revision=1, app=lab.app.id, inputs={
        'files': [lab.file], 'dir': folder, 'record': {'text': 'x', 'numbers': [1, 2.5]},
    })
    read = world.alice.tasks.get(task)
    equal((read.app, read.inputs['files'][0].id), (f'{lab.app.id}/1', lab.file.id))
    equal((read.inputs['dir'].is_folder(), read.inputs['dir'].id), (True, folder.id))
    equal(read.inputs['record'], {'text': 'x', 'numbers': [1, 2.5]})
    equal(task.inputs['files'][0].size, 7)


@check('a draft is edited, its inputs merged')
def edit(world):
    lab = Lab(world)
    task = lab.task()
    task.name = 'New'
    task.description = 'Because'
    task.inputs['limit'] = 3
    task.save()
    read = world.alice.tasks.get(task.id)
    equal((read.name, read.description, read.inputs['limit'], read.inputs['text'].id),
          ('New', 'Because', 3, lab.file.id))
    read.inputs['text'] = world.file(lab.project, 'other')
    read.save()
    equal(world.alice.tasks.get(task.id).inputs['text'].name, 'other')
    equal(task.save(), task)


@check('a draft runs once, and only a running task is aborted')
def run(world):
    task = Lab(world).task()
    refused(Forbidden, 7008, task.abort)
    task.run(interruptible=False)
    holds(task.status in ('RUNNING', 'COMPLETED', 'FAILED'), 'it runs')
    equal((task.executed_by, task.use_interruptible_instances), ('alice', False))
    holds(task.start_time and task.execution_status.message, 'when and why is told')
    refused(Forbidden, 7007, task.run)
    details = task.get_execution_details()
    equal((details.status, isinstance(details.jobs, list)), (task.status, True))
    holds(details.start_time and details.message, 'the details tell when and why')
    task.abort()
    equal(task.status in ('ABORTING', 'ABORTED'), True)
    task.wait(period=0.05, callback=lambda: None)
    equal((task.status, task.reload().end_time is not None), ('ABORTED', True))
    refused(Forbidden, 7008, task.abort)


@check('a task runs as it is made, unless it cannot')
def create_and_run(world):
    lab = Lab(world)
    equal(lab.task(run=True).status in ('RUNNING', 'COMPLETED'), True)
    try:
        lab.task(run=True, inputs={})
        raise AssertionError('a task without its input runs')
    except TaskValidationError as error:
        equal((error.task.status, len(error.task.errors)), ('DRAFT', 1))
    refused(BadRequest, 7010, lab.task(inputs={}).run)


@check('what cannot be a task is refused')
def wrong(world):
    lab = Lab(world)
    refused(NotFound, 6002, lab.task, app=f'{lab.project.id}/none/0')
    refused(NotFound, 3002, lab.task, project='alice/none')
    refused(BadRequest, 7012, lab.task, inputs={'nonsense': 1})
    refused(BadRequest, 7005, world.alice.tasks.get, 'nonsense')
    refused(NotFound, 7002, world.alice.tasks.get, '00000000-0000-4000-8000-000000000000')
    task = lab.task()
    refused(NotFound, 7002, world.bob.tasks.get, task.id)


@check('a clone is a draft, or runs at once')
def clone(world):
    task = Lab(world).task()
    copy = task.clone(run=False)
    equal((copy.status, copy.inputs['text'].id, copy.id != task.id), ('DRAFT', task.inputs['text'].id, True))
    equal(task.clone().status in ('RUNNING', 'COMPLETED'), True)


@check('a task is deleted, but not while it runs')
def delete(world):
    lab = Lab(world)
    task = lab.task()
    task.delete()
    refused(NotFound, 7002, world.alice.tasks.get, task.id)
    running = lab.task(run=True)
    refused(Conflict, 90007, running.delete)
    running.abort()


@check('tasks are listed by project, status, times, origin and kind, in any order')
def query(world):
    lab = Lab(world)
    for name in ('b', 'a', 'c'):
        lab.task(name=name)
    ran = lab.task(name='d', run=True)

    def names(**filters):
        return [task.name for task in world.alice.tasks.query(project=lab.project, **filters)]

    equal(sorted(names()), ['a', 'b', 'c', 'd'])
    equal(names(order_by='name', order='asc'), ['a', 'b', 'c', 'd'])
    equal(names(order_by='name', order='desc', limit=2, offset=1), ['c', 'b'])
    equal(sorted(names(status='DRAFT')), ['a', 'b', 'c'])
    past, future = datetime.utcnow() - timedelta(days=1), datetime.utcnow() + timedelta(days=1)
    equal((names(created_from=past, created_to=future, status='DRAFT', order_by='name', order='asc'),
           names(created_from=future), names(created_to=past)), (['a', 'b', 'c'], [], []))
    equal((names(started_from=past, started_to=future), names(started_to=past)), (['d'], []))
    equal(names(ended_from=past.isoformat(), ended_to=future.isoformat()), [])
    equal((names(batch=True), len(names(batch=False)), names(origin='robot')), ([], 4, []))
    equal(len(list(world.alice.tasks.query(project=lab.project, limit=3).all())), 4)
    refused(BadRequest, 7006, world.alice.tasks.query, status='SLEEPING')
    ran.abort()


@check('tasks are got in bulk')
def bulk(world):
    task = Lab(world).task()
    records = world.alice.tasks.bulk_get([task, 'nonsense'])
    equal([record.valid for record in records], [True, False])
    equal((records[0].resource.id, records[1].error.code), (task.id, 7005))


@check('a batch has a task for each item or criterion, runs and is aborted whole, or is one task')
def batch(world):
    lab = Lab(world)
    lists = Lab(world, {**TOOL, 'inputs': [{'id': 'text', 'type': 'File[]'}]})
    for place in (lab, lists):
        place.files = [world.file(place.project, name) for name in ('a', 'b', 'c')]
        for file, sample in zip(place.files, ('S1', 'S1', 'S2')):
            file.metadata = {'sample': sample}
            file.save()
    by_item = lab.task(inputs={'text': lab.files}, batch_input='text', batch_by={'type': 'ITEM'})
    equal((by_item.batch, by_item.batch_by['type'], by_item.batch_input), (True, 'ITEM', 'text'))
    children = by_item.get_batch_children(order_by='name', order='asc', status='DRAFT')
    equal([child.batch_group.value for child in children], ['a', 'b', 'c'])
    equal([child.parent for child in children], [by_item.id] * 3)
    by_criteria = lists.task(inputs={'text': lists.files}, batch_input='text',
                             batch_by={'type': 'CRITERIA', 'criteria': ['metadata.sample']})
    equal(sorted(child.batch_group.fields['metadata.sample'] for child in by_criteria.get_batch_children()),
          ['S1', 'S2'])
    by_item.run()
    equal(by_item.execution_status.running + by_item.execution_status.completed, 3)
    by_item.abort()
    by_item.wait(period=0.05)
    equal(by_item.status, 'ABORTED')
    single = lists.task(inputs={'text': lists.files}, batch_input='text', batch_by={'type': 'ITEM'},
                        disable_batch=True)
    equal(single.batch, False)
    unbatched = by_criteria.run(batch=False)
    equal(unbatched.batch, False)
    unbatched.abort()
    by_item.batch_by = {'type': 'CRITERIA', 'criteria': ['metadata.sample']}
    refused(Forbidden, 7026, by_item.save)
    try:
        single.get_batch_children()
        raise AssertionError('one task has children')
    except SbgError:
        pass
