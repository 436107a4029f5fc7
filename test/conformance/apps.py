import json

from sevenbridges.errors import BadRequest, Conflict, Forbidden, NotFound
from sevenbridges.models.enums import AppCopyStrategy, AppRawFormat

from checks import check, equal, holds, refused
from world import TOOL


@check('an app is installed from JSON and from YAML, with the keys of the platform in its document')
def install(world):
    project = world.project()
    app = world.alice.apps.install_app(f'{project.id}/count', TOOL)
    equal((app.id, app.revision, app.name, app.project), (f'{project.id}/count', 0, 'Count lines', project.id))
    equal((app.raw['sbg:id'], app.raw['sbg:latestRevision'], app.raw['baseCommand']),
          (f'{project.id}/count/0', 0, ['wc', '-l']))
    holds(isinstance(app.raw['sbg:createdOn'], int), 'times inside the document are numbers')
    as_object = world.alice.apps.install_app(f'{project.id}/yaml', TOOL, raw_format=AppRawFormat.YAML)
    equal(as_object.raw['baseCommand'], ['wc', '-l'])
    text = 'class: CommandLineTool\nlabel: From text\ninputs: {}\noutputs: {}\nbaseCommand: [a]\n'
    as_text = world.alice.apps.install_app(f'{project.id}/text', text, raw_format=AppRawFormat.YAML)
    equal((as_text.name, as_text.raw['baseCommand']), ('From text', ['a']))


@check('revisions follow each other, and each is read by its number')
def revisions(world):
    app = world.app(world.project())
    second = world.alice.apps.create_revision(app.id, 1, {**TOOL, 'label': 'Second'})
    equal((second.id, second.revision, second.name), (app.id, 1, 'Second'))
    equal(world.alice.apps.get_revision(app.id, 0).raw['label'], 'Count lines')
    equal(world.alice.apps.get(app.id).revision, 1)
    equal(world.alice.apps.get(second).raw['sbg:latestRevision'], 1)
    refused(Conflict, 6003, world.alice.apps.create_revision, app.id, 1, TOOL)
    refused(NotFound, 6002, world.alice.apps.get_revision, app.id, 7)


@check('what is no app is refused')
def wrong(world):
    project = world.project()
    world.alice.apps.install_app(f'{project.id}/taken', TOOL)
    refused(Conflict, 6003, world.alice.apps.install_app, f'{project.id}/taken', TOOL)
    refused(BadRequest, 6008, world.alice.apps.install_app, f'{project.id}/x', {'class': 'Spreadsheet'})
    refused(BadRequest, 6012, world.alice.apps.query, visibility='nonsense')
    refused(NotFound, 6002, world.alice.apps.get, f'{project.id}/none')
    refused(NotFound, 6002, world.bob.apps.get, f'{project.id}/taken')


@check('apps are listed by project, id, visibility and search terms that must all match')
def query(world):
    project = world.project()
    first = world.alice.apps.install_app(f'{project.id}/first', {**TOOL, 'sbg:toolkit': 'samtools'})
    second = world.alice.apps.install_app(f'{project.id}/second', {**TOOL, 'label': 'Sort'})

    def ids(**filters):
        return [app.id for app in world.alice.apps.query(limit=100, **filters)]

    equal(ids(project=project), [first.id, second.id])
    equal(ids(project=project, q=['count', 'samtools']), [first.id])
    equal(ids(project=project, q=['count', 'nonsense']), [])
    equal(ids(project=project, q='sort'), [second.id])
    equal(sorted(ids(id=[first.id, second.id])), [first.id, second.id])
    holds(world.facts['public_app'] in ids(visibility='public'), 'the public app is public')
    holds(world.facts['public_app'] not in ids(), 'and not among the private ones')
    equal(len(list(world.alice.apps.query(project=project, limit=1).all())), 2)
    equal(world.alice.apps.query(project=project)[0].field('raw'), None)
    equal(world.alice.apps.query(project=project)[0].raw['class'], 'CommandLineTool')


@check('an app is copied by every strategy, from a revision too, and takes updates by sync')
def copy(world):
    source, target = world.project(), world.project()
    app = world.app(source)
    world.alice.apps.create_revision(app.id, 1, {**TOOL, 'label': 'Second'})
    app = world.alice.apps.get(app.id)
    for strategy in (None, AppCopyStrategy.DIRECT, AppCopyStrategy.CLONE_DIRECT, AppCopyStrategy.TRANSIENT):
        copied = app.copy(target, name=f'copy {strategy}', strategy=strategy)
        equal((copied.project, copied.name), (target.id, f'copy {strategy}'))
        holds(copied.id.startswith(f'{target.id}/copy-'), 'its id is of its project and name')
        equal(copied.raw['label'], 'Second')
    old = world.alice.apps.get_revision(app.id, 0).copy(target, name='old', use_revision=True)
    equal(old.raw['label'], 'Count lines')
    world.alice.apps.create_revision(app.id, 2, {**TOOL, 'label': 'Third'})
    synced = old.sync()
    equal(synced.raw['label'], 'Third')
    refused(Conflict, 6003, app.copy, source)


@check('a public app is copied by anyone, a member without copy may not')
def public(world):
    target = world.project()
    copied = world.alice.apps.get(world.facts['public_app']).copy(target)
    equal(copied.project, target.id)
    project = world.project()
    app = world.app(project)
    world.share(project)
    own = world.bob.projects.create(name=world.name('own'))
    refused(Forbidden, 6001, world.bob.apps.get(app.id).copy, own)


@check('the document alone is answered by raw')
def raw(world):
    app = world.app(world.project())
    document = world.alice.get(f'/apps/{app.id}/raw').json()
    equal((document['class'], document['sbg:revision']), ('CommandLineTool', 0))
    equal(json.dumps(world.alice.get(f'/apps/{app.id}/0/raw').json()), json.dumps(document))
