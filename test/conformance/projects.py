from sevenbridges.errors import BadRequest, Forbidden, NotFound, PaginationError, ResourceNotModified
from sevenbridges.models.user import User

from checks import check, equal, holds, refused
from world import TOOL


@check('a project is made with all it can be given, and read back the same')
def create(world):
    group = world.alice.billing_groups.get(world.facts['group'])
    project = world.alice.projects.create(
        name='Whole Project_1', billing_group=group, description='Why', tags=['tcga'],
        settings={'use_interruptible_instances': True, 'intermediate_files': {'duration': 48}},
    )
    equal(project.id, 'alice/whole-project-1')
    read = world.alice.projects.get(project.id)
    equal((read.name, read.description, read.tags, read.type), ('Whole Project_1', 'Why', ['tcga'], 'v2'))
    equal((read.billing_group, read.created_by, read.category), (group.id, 'alice', 'PRIVATE'))
    equal(read.settings['use_interruptible_instances'], True)
    equal(read.settings['intermediate_files']['duration'], 48)
    holds(read.root_folder and read.created_on <= read.modified_on, 'it has a root folder and times')
    again = world.alice.projects.create(name='Whole Project_1')
    holds(again.id != project.id, 'another of the same name has an id of its own')


@check('a project without a name, or of an unknown billing group, is refused')
def create_wrong(world):
    refused(BadRequest, 3007, world.alice.projects.create, '')
    refused(BadRequest, 4005, world.alice.projects.create, 'x', billing_group='nonsense')
    nowhere = '00000000-0000-4000-8000-000000000000'
    refused(NotFound, 4002, world.alice.projects.create, 'x', billing_group=nowhere)


@check('name, description, settings and tags are edited, one key of the settings alone')
def edit(world):
    project = world.project(description='old', settings={'locked': True})
    project.name = 'New name'
    project.description = 'new'
    project.settings['use_interruptible_instances'] = True
    project.tags = ['tcga']
    project.save()
    read = world.alice.projects.get(project.id)
    equal((read.id, read.name, read.description, read.tags), (project.id, 'New name', 'new', ['tcga']))
    equal((read.settings['locked'], read.settings['use_interruptible_instances']), (True, True))
    try:
        read.save()
        raise AssertionError('an unchanged project was saved')
    except ResourceNotModified:
        pass


@check('save without inplace answers another object, reload brings changes')
def not_in_place(world):
    project = world.project()
    other = world.alice.projects.get(project.id)
    project.description = 'changed'
    saved = project.save(inplace=False)
    equal((saved.description, other.reload().description), ('changed', 'changed'))


@check('projects are listed whole, by owner, name, category and tags')
def query(world):
    tagged = world.project(tags=['tcga'])
    plain = world.project()
    everything = world.alice.projects.query(limit=100)
    holds(everything.total == len(everything) and plain in everything, 'all are in the list')
    equal(world.alice.projects.query(owner='alice', name=plain.name.upper())[0].id, plain.id)
    holds(tagged in world.alice.projects.query(tags=['tcga'], limit=100), 'the tagged one is found')
    holds(plain not in world.alice.projects.query(tags=['tcga'], limit=100), 'the other is not')
    equal(list(world.alice.projects.query(tags=['tcga', 'none'])), [])
    holds(plain in world.alice.projects.query(category='PRIVATE', limit=100), 'it is private')
    equal(list(world.alice.projects.query(owner='bob')), [])


@check('pages go forward and back, and all() begins at the page it is asked of')
def pages(world):
    word = world.name('paged')
    made = [world.alice.projects.create(f'{word} {number}').id for number in range(5)]
    first = world.alice.projects.query(name=word, limit=2)
    equal((first.total, len(first)), (5, 2))
    second = first.next_page()
    third = second.next_page()
    equal(sorted(p.id for page in (first, second, third) for p in page), sorted(made))
    equal([p.id for p in third.previous_page()], [p.id for p in second])
    equal([p.id for p in first.all()], [p.id for page in (first, second, third) for p in page])
    equal([p.id for p in second.all()], [p.id for page in (second, third) for p in page])
    for page, turn in ((third, 'next_page'), (first, 'previous_page')):
        try:
            getattr(page, turn)()
            raise AssertionError('there is a page beyond the last')
        except PaginationError:
            pass
    refused(BadRequest, 90000, world.alice.projects.query, limit=101)
    refused(BadRequest, 90000, world.alice.projects.query, offset=-1)


@check('members are added by name and by e-mail, read, edited and removed')
def members(world):
    project = world.project()
    added = project.add_member('bob', {'read': True, 'copy': True})
    equal((added.username, added.permissions['copy'], added.permissions['write']), ('bob', True, False))
    member = project.get_member('bob', api=world.alice)
    member.permissions['write'] = True
    member.save()
    equal(dict(project.get_member('bob', api=world.alice).permissions.items()), {
        'read': True, 'copy': True, 'write': True, 'execute': False, 'admin': False,
    })
    equal(member.reload().permissions['write'], True)
    carol = project.add_member_email('carol@example.org', {'read': True})
    equal(carol.username, 'carol')
    listed = project.get_members(limit=2)
    equal((listed.total, len(list(listed.all()))), (3, 3))
    project.remove_member('bob')
    refused(NotFound, 3002, project.get_member, 'bob', api=world.alice)
    project.remove_member(User(username='carol', api=world.alice))
    equal([m.username for m in project.get_members()], ['alice'])


@check('a project shows what is in it: files, apps, tasks, imports, exports')
def contents(world):
    project = world.project()
    file = world.file(project, 'file')
    app = world.app(project)
    task = project.create_task(name='Task', app=app, inputs={'text': file})
    volume, _bucket = world.volume()
    export = world.ended(world.alice.exports.submit_export(file, volume, 'x', copy_only=True))
    imported = world.ended(world.alice.imports.submit_import(volume, 'x', project=project))
    equal([f.id for f in project.get_files(limit=1)], [file.id])
    equal([a.id for a in project.get_apps()], [app.id])
    equal([t.id for t in project.get_tasks(status='DRAFT')], [task.id])
    equal(list(project.get_tasks(status='RUNNING')), [])
    equal([i.id for i in project.get_imports(volume=volume, state='COMPLETED')], [imported.id])
    equal(export.state, 'COMPLETED')


@check('files are added to a project by copies')
def add_files(world):
    source, target = world.project(), world.project()
    world.file(source, 'a')
    world.file(source, 'b')
    target.add_files(world.alice.files.query(project=source))
    equal([f.name for f in target.get_files()], ['a', 'b'])


@check('a project of others is NotFound, and what its permissions do not give Forbidden')
def permissions(world):
    project = world.project()
    refused(NotFound, 3002, world.bob.projects.get, project.id)
    world.share(project)
    seen = world.bob.projects.get(project.id)
    seen.description = 'mine'
    refused(Forbidden, 3001, seen.save)
    refused(Forbidden, 3001, seen.delete)
    refused(Forbidden, 8001, world.bob.post, '/upload/multipart', data={'project': project.id, 'name': 'x'})
    refused(Forbidden, 6001, world.bob.apps.install_app, f'{project.id}/app', TOOL)


@check('a project is deleted, and then NotFound')
def delete(world):
    project = world.project()
    project.delete()
    refused(NotFound, 3002, world.alice.projects.get, project.id)
    equal(list(world.alice.projects.query(name=project.name)), [])
