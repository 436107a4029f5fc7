from sevenbridges.errors import BadRequest, Forbidden, NotFound

from checks import check, equal, holds, refused, until


def laid(world, *keys, **options):
    volume, bucket = world.volume(**options)
    for key in keys:
        path = bucket / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'content of ' + key.encode())
    return volume, bucket


@check('an import makes an alias, with its content')
def import_file(world):
    project = world.project()
    volume, _bucket = laid(world, 'deep/a.txt')
    job = world.alice.imports.submit_import(volume, 'deep/a.txt', project=project)
    equal((job.state in ('PENDING', 'RUNNING', 'COMPLETED'), job.overwrite), (True, False))
    job = world.ended(world.alice.imports.get(job.id))
    equal((job.state, job.source.volume, job.source.location), ('COMPLETED', volume.id, 'deep/a.txt'))
    equal((job.destination.project, job.result.name), (project.id, 'a.txt'))
    equal((job.result.storage.type, job.result.storage.volume), ('VOLUME', volume.id))
    holds(job.started_on <= job.finished_on and job.error is None, 'times and no error')
    equal(world.alice.files.get(job.result.id).content(), 'content of deep/a.txt')


@check('an import takes a name, a folder, overwrites or renames, and fails with the reason')
def import_options(world):
    project = world.project()
    folder = world.alice.files.create_folder('folder', project=project)
    volume, _bucket = laid(world, 'a.txt')

    def run(location='a.txt', **options):
        return world.ended(world.alice.imports.submit_import(volume, location, **options))

    first = run(parent=folder, name='named')
    equal((first.result.parent, first.result.name), (folder.id, 'named'))
    taken = run(parent=folder, name='named')
    equal((taken.state, taken.error.status, taken.error.code), ('FAILED', 409, 9108))
    replaced = run(parent=folder, name='named', overwrite=True)
    equal((replaced.state, replaced.result.id != first.result.id), ('COMPLETED', True))
    renamed = run(parent=folder, name='named', autorename=True)
    holds(renamed.result.name != 'named' and renamed.autorename, 'it has another name')
    missing = run('none', project=project)
    equal((missing.state, missing.error.code, missing.result), ('FAILED', 9105, None))


@check('a folder is imported, with its structure or without')
def import_folder(world):
    volume, _bucket = laid(world, 'dir/a.txt', 'dir/sub/b.txt')
    project = world.project()
    job = world.alice.imports.bulk_submit([{
        'volume': volume, 'location': 'dir/', 'project': project, 'preserve_folder_structure': True,
    }])[0].resource
    equal(world.ended(job).state, 'COMPLETED')
    [folder] = project.get_files()
    equal((folder.name, sorted(f.name for f in folder.list_files())), ('dir', ['a.txt', 'sub']))


@check('imports are listed, by project, volume and state, and got and made in bulk')
def imports(world):
    project = world.project()
    volume, _bucket = laid(world, 'a', 'b')
    records = world.alice.imports.bulk_submit([
        {'volume': volume, 'location': 'a', 'project': project, 'overwrite': True, 'autorename': False},
        {'volume': volume.id, 'location': 'b', 'parent': project.root_folder, 'name': 'c'},
        {'volume': 'alice/none', 'location': 'b', 'project': project},
    ])
    equal([record.valid for record in records], [True, True, False])
    equal(records[2].error.code, 9007)
    jobs = [world.ended(record.resource) for record in records[:2]]
    equal([f.name for f in project.get_files()], ['a', 'c'])
    got = world.alice.imports.bulk_get([jobs[1], jobs[0].id, 'nonsense'])
    equal([record.resource.id for record in got[:2]], [jobs[1].id, jobs[0].id])
    equal(got[2].error.status, 404)
    query = world.alice.imports.query
    equal(query(project=project, volume=volume, state='COMPLETED').total, 2)
    equal(len(list(query(project=project, limit=1).all())), 2)
    equal(query(project=project, state='FAILED').total, 0)
    refused(NotFound, 9008, world.alice.imports.get, 'nonsense')
    refused(BadRequest, 90000, world.alice.imports.bulk_get, ['x'] * 101)


@check('an export leaves an alias, a copy leaves the file')
def export_file(world):
    project = world.project()
    volume, bucket = laid(world)
    file, copied = world.file(project, 'f', b'exported'), world.file(project, 'c', b'copied')
    job = world.ended(world.alice.exports.submit_export(file, volume, 'out/f', properties={
        'sse_algorithm': 'AES256', 'aws_canned_acl': 'private', 'aws_storage_class': 'STANDARD_IA',
    }))
    equal((job.state, job.source.id, job.destination.volume, job.destination.location),
          ('COMPLETED', file.id, volume.id, 'out/f'))
    equal((job.properties['aws_canned_acl'], job.properties['aws_storage_class']), ('private', 'STANDARD_IA'))
    equal((job.result.id, job.overwrite), (file.id, False))
    alias = world.alice.files.get(file.id)
    equal((alias.storage.type, alias.storage.volume, alias.storage.location), ('VOLUME', volume.id, 'out/f'))
    equal((alias.content(), (bucket / 'out/f').read_bytes()), ('exported', b'exported'))
    job = world.ended(world.alice.exports.submit_export(copied, volume, 'out/c', copy_only=True))
    equal((job.state, world.alice.files.get(copied.id).storage.type), ('COMPLETED', 'PLATFORM'))
    equal((bucket / 'out/c').read_bytes(), b'copied')


@check('a taken location fails the export, unless it is overwritten')
def export_taken(world):
    project = world.project()
    volume, bucket = laid(world, 'taken')
    file = world.file(project, 'f', b'new')
    failed = world.ended(world.alice.exports.submit_export(file, volume, 'taken'))
    equal((failed.state, failed.error.status, failed.error.code), ('FAILED', 409, 9107))
    done = world.ended(world.alice.exports.submit_export(file, volume, 'taken', overwrite=True))
    equal((done.state, (bucket / 'taken').read_bytes()), ('COMPLETED', b'new'))


@check('what may not be exported is refused: aliases, public, archived and dataset files, read-only volumes')
def not_exportable(world):
    project = world.project()
    volume, _bucket = laid(world)
    read_only, _bucket = laid(world, access_mode='RO')
    export = world.alice.exports.submit_export
    file = world.file(project, 'f')
    refused(Forbidden, 9026, export, file, read_only, 'f')
    refused(BadRequest, 9072, export, file, volume, 'f/')
    refused(NotFound, 9007, export, file, 'alice/none', 'f')
    refused(NotFound, 9009, export, 'nonsense', volume, 'f')
    world.ended(export(file, volume, 'f'))
    refused(Forbidden, 9006, export, file, volume, 'g')
    for marked in world.facts['marked']['files'].values():
        refused(Forbidden, 9006, export, marked, volume, 'g')


@check('exports are listed, by volume and state, and got and made in bulk, as copies too')
def exports(world):
    project = world.project()
    volume, _bucket = laid(world)
    files = [world.file(project, name) for name in ('a', 'b')]
    records = world.alice.exports.bulk_submit([
        {'file': files[0], 'volume': volume, 'location': 'a', 'properties': {'sse_algorithm': None}},
        {'file': files[1].id, 'volume': volume.id, 'location': 'b', 'overwrite': True},
        {'file': 'nonsense', 'volume': volume, 'location': 'c'},
    ], copy_only=True)
    equal([record.valid for record in records], [True, True, False])
    equal(records[2].error.code, 9009)
    jobs = [world.ended(record.resource) for record in records[:2]]
    equal([world.alice.files.get(f.id).storage.type for f in files], ['PLATFORM', 'PLATFORM'])
    got = world.alice.exports.bulk_get([jobs[1], jobs[0].id, 'nonsense'])
    equal([record.resource.id for record in got[:2]], [jobs[1].id, jobs[0].id])
    equal(got[2].error.status, 404)
    query = world.alice.exports.query
    equal((query(volume=volume, state='COMPLETED').total, query(volume=volume, state='FAILED').total), (2, 0))
    equal(len(list(query(volume=volume, limit=1).all())), 2)
    [moved] = world.alice.exports.bulk_submit([{'file': files[0], 'volume': volume, 'location': 'moved'}])
    world.ended(moved.resource)
    equal(world.alice.files.get(files[0].id).storage.type, 'VOLUME')
    item = {'file': files[1], 'volume': volume, 'location': 'x'}
    refused(BadRequest, 90000, world.alice.exports.bulk_submit, [item] * 101)
    refused(NotFound, 9008, world.alice.exports.get, 'nonsense')


@check('a job is seen by who made it alone')
def others(world):
    volume, _bucket = laid(world, 'a')
    job = world.alice.imports.submit_import(volume, 'a', project=world.project())
    refused(NotFound, 9008, world.bob.imports.get, job.id)
    until(lambda: job.reload().state == 'COMPLETED')
