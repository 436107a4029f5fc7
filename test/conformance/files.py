from sevenbridges.errors import BadRequest, Conflict, Forbidden, NotFound, ResourceNotModified, SbgError

from checks import check, equal, holds, refused


@check('a file is read with every field')
def details(world):
    project = world.project()
    file = world.alice.files.get(world.file(project, 'file', b'12345').id)
    equal((file.name, file.size, file.project, file.parent), ('file', 5, project.id, project.root_folder))
    equal((file.type, file.tags, dict(file.metadata)), ('file', [], {}))
    equal((file.storage.type, file.origin.task, file.is_folder()), ('PLATFORM', None, False))
    holds(file.created_on <= file.modified_on and file.href.endswith(f'/files/{file.id}'), 'times and href')
    equal(world.alice.files.get(file).id, file.id)


@check('files are listed by project and folder, names, metadata, tags and origin')
def query(world):
    project = world.project()
    folder = world.alice.files.create_folder('folder', project=project)
    for number, name in enumerate(('a', 'b', 'c')):
        file = world.file(project, name)
        file.metadata = {'sample': f'S{number}', 'kind': 'bam'}
        file.tags = [name, 'all']
        file.save()
    world.file(parent=folder, name='deep')

    def names(**filters):
        return [f.name for f in world.alice.files.query(**filters)]

    equal(names(project=project), ['a', 'b', 'c', 'folder'])
    equal(names(parent=folder), ['deep'])
    equal(names(project=project, names=['a', 'c', 'none']), ['a', 'c'])
    equal(names(project=project, names=[]), [])
    equal(names(project=project, metadata={'sample': 'S1'}), ['b'])
    equal(names(project=project, metadata={'sample': ['S0', 'S2'], 'kind': 'bam'}), ['a', 'c'])
    equal(names(project=project, metadata={'sample': 'S1', 'kind': 'vcf'}), [])
    equal(names(project=project, tags=['a', 'b']), ['a', 'b'])
    equal(names(project=project, origin={'task': '00000000-0000-4000-8000-000000000000'}), [])
    equal(names(project=project, limit=0)[:1], ['a'])
    refused(NotFound, 5026, world.alice.files.query, parent='nonsense')
    refused(BadRequest, 5005, world.alice.files.query, project='nonsense')
    refused(NotFound, 3002, world.alice.files.query, project='alice/none')


@check('lists carry all fields, so that looking at one costs no call')
def whole_items(world):
    project = world.project()
    world.file(project, 'file', b'123')
    [item] = world.alice.files.query(project=project)
    fields = ('size', 'created_on', 'modified_on', 'metadata', 'tags', 'storage', 'origin', 'parent')
    for field in fields:
        holds(item.field(field) is not None, f'{field} is in the list')


@check('files of hosted datasets are listed by dataset')
def dataset(world):
    world.alice.projects.get(world.facts['marked']['project'])
    equal([f.id for f in world.alice.files.query(parent=world.facts['marked']['root'])],
          sorted(world.facts['marked']['files'].values(), key=lambda id: world.alice.files.get(id).name))


@check('a scroll goes through a project and a folder, page by page')
def scroll(world):
    project = world.project()
    folder = world.alice.files.create_folder('folder', project=project)
    for number in range(5):
        world.file(parent=folder, name=f'file{number}')
    first = world.alice.files.query(parent=folder, cont_token='init', limit=2)
    equal([f.name for f in first], ['file0', 'file1'])
    equal([f.name for f in first.next_page()], ['file2', 'file3'])
    equal([f.name for f in first.all()], [f'file{number}' for number in range(5)])
    equal(len(list(folder.list_files(cont_token='init', limit=3).all())), 5)
    [only] = world.alice.files.query(project=project, cont_token='init', names=['folder'])
    equal(only.id, folder.id)
    refused(BadRequest, 57001, world.alice.files.query, parent=folder, cont_token='nonsense!')


@check('name, tags and metadata are edited; metadata is merged, or replaced when it is set')
def edit(world):
    file = world.file(world.project(), 'file')
    file.name = 'renamed'
    file.tags = ['one', 'two']
    file.metadata['a'] = '1'
    file.metadata['b'] = '2'
    file.save()
    read = world.alice.files.get(file.id)
    equal((read.name, read.tags, dict(read.metadata)), ('renamed', ['one', 'two'], {'a': '1', 'b': '2'}))
    read.metadata['b'] = '3'
    read.save()
    equal(dict(world.alice.files.get(file.id).metadata), {'a': '1', 'b': '3'})
    read.metadata = {'c': '4'}
    read.save()
    equal(dict(world.alice.files.get(file.id).metadata), {'c': '4'})
    unchanged = world.alice.files.get(file.id)
    equal(unchanged.save(silent=True).name, 'renamed')
    try:
        unchanged.save()
        raise AssertionError('an unchanged file was saved')
    except ResourceNotModified:
        pass


@check('limits of metadata are of bytes, and nothing is changed beyond them')
def metadata_limits(world):
    file = world.file(world.project(), 'file')
    for key, value in (('k' * 100, 'v' * 300), ('ä' * 50, 'ö' * 150)):
        file.metadata = {key: value}
        file.save()
        equal(dict(world.alice.files.get(file.id).metadata), {key: value})
    before = dict(world.alice.files.get(file.id).metadata)
    for wrong in ({'k' * 101: ''}, {'k': 'ö' * 151}, {f'k{n}': '' for n in range(1001)}, {'k': 1}):
        file.metadata = wrong
        refused(BadRequest, 5006, file.save)
        equal(dict(world.alice.files.get(file.id).metadata), before)


@check('null in metadata is ignored')
def metadata_null(world):
    file = world.file(world.project(), 'file')
    file.metadata = {'a': '1', 'b': None}
    file.save()
    equal(dict(world.alice.files.get(file.id).metadata), {'a': '1'})


@check('a file is copied to a project and to a folder, with its metadata, and moved with its id')
def copy_and_move(world):
    project, target = world.project(), world.project()
    folder = world.alice.files.create_folder('folder', project=target)
    file = world.file(project, 'file', b'bytes')
    file.metadata = {'sample': 'S1'}
    file.save()
    copy = file.copy(target)
    equal((copy.name, copy.project, dict(copy.metadata)), ('file', target.id, {'sample': 'S1'}))
    equal((file.copy(target, name='other').name, copy.content()), ('other', 'bytes'))
    refused(Conflict, 5003, file.copy, target)
    inside = file.copy_to_folder(folder, name='inside')
    equal((inside.parent, inside.name), (folder.id, 'inside'))
    moved = copy.move_to_folder(folder)
    equal((moved.id, moved.parent, moved.name), (copy.id, folder.id, 'file'))
    equal(moved.move_to_folder(target.root_folder, name='back').name, 'back')
    refused(BadRequest, 5015, file.move_to_folder, folder)
    refused(NotFound, 5026, file.copy_to_folder, 'nonsense')


@check('folders are made in projects and folders, listed, and deleted when empty')
def folders(world):
    project = world.project()
    folder = world.alice.files.create_folder('folder', project=project)
    inner = world.alice.files.create_folder('inner', parent=folder)
    equal((folder.type, folder.is_folder(), inner.parent), ('FOLDER', True, folder.id))
    file = world.file(parent=inner, name='file')
    equal([f.name for f in folder.list_files()], ['inner'])
    equal([f.id for f in inner.list_files(offset=0, limit=1)], [file.id])
    refused(BadRequest, 5021, inner.delete)
    refused(Conflict, 5030, world.alice.files.create_folder, 'folder', project=project)
    refused(BadRequest, 5024, world.alice.files.create_folder, '__folder', project=project)
    refused(BadRequest, 5022, world.alice.files.create_folder, 'x', parent=file)
    refused(BadRequest, 5017, folder.download_info)
    for each in (file, inner, folder):
        each.delete()
    equal(list(world.alice.files.query(project=project)), [])
    try:
        file.list_files()
        raise AssertionError('a file was listed')
    except SbgError:
        pass


@check('files are got, edited, updated and deleted in bulk, in order, each with its own error')
def bulk(world):
    project = world.project()
    files = [world.file(project, name) for name in ('a', 'b')]
    files[0].metadata = {'keep': '1'}
    files[0].save()
    got = world.alice.files.bulk_get([files[1], 'nonsense', files[0].id])
    equal([record.valid for record in got], [True, False, True])
    equal([got[0].resource.name, got[2].resource.name, got[1].error.code], ['b', 'a', 5002])
    files = [record.resource for record in got if record.valid][::-1]
    files[0].metadata['more'] = '2'
    files[0].tags = ['tag']
    edited = world.alice.files.bulk_edit(files[:1])
    equal((edited[0].resource.tags, dict(edited[0].resource.metadata)), (['tag'], {'keep': '1', 'more': '2'}))
    files[0].metadata = {'only': '3'}
    files[0].tags = []
    updated = world.alice.files.bulk_update(files)
    equal([record.valid for record in updated], [True, True])
    read = world.alice.files.get(files[0].id)
    equal((read.tags, dict(read.metadata), read.name), ([], {'only': '3'}, 'a'))
    deleted = world.alice.files.bulk_delete([*files, 'nonsense'])
    equal([record.valid for record in deleted], [True, True, False])
    refused(NotFound, 5002, world.alice.files.get, files[0].id)
    refused(BadRequest, 90000, world.alice.files.bulk_get, ['x'] * 101)


@check('a folder stands in a bulk edit as it was read, with its new name refused alone')
def bulk_folder(world):
    project = world.project()
    folder = world.alice.files.create_folder('folder', project=project)
    file = world.file(project, 'file')
    records = world.alice.files.bulk_edit([world.alice.files.get(folder.id), world.alice.files.get(file.id)])
    equal([record.valid for record in records], [False, True])
    equal(records[0].error.status, 400)


@check('files are searched by a query, page by page')
def search(world):
    project = world.project()
    for number in range(3):
        world.file(project, f'file{number}')
    world.alice.files.create_folder('folder', project=project)
    query = f'IN "{project.id}" WHERE type = "FILE"'
    first = world.alice.files.search(query, limit=2)
    equal((first.count, len(first.result_set)), (3, 2))
    second = world.alice.files.search(query, cont_token=first.cont_token, limit=2)
    equal(sorted(f['name'] for f in first.result_set + second.result_set), ['file0', 'file1', 'file2'])
    refused(BadRequest, 90000, world.alice.files.search, 'nonsense')


@check('a file of others is NotFound; read alone gives neither content nor change')
def permissions(world):
    project = world.project()
    file = world.file(project, 'file')
    refused(NotFound, 5002, world.bob.files.get, file.id)
    world.share(project)
    seen = world.bob.files.get(file.id)
    refused(Forbidden, 5014, seen.download_info)
    seen.name = 'mine'
    refused(Forbidden, 5008, seen.save)
    refused(Forbidden, 5001, seen.delete)
    world.share(project, write=True)
    foreign = world.bob.files.get(file.id)
    foreign.metadata = {'a': '1'}
    refused(Forbidden, 5009, foreign.save)


@check('a file is deleted, and then NotFound')
def delete(world):
    file = world.file(world.project(), 'file')
    file.delete()
    refused(NotFound, 5002, world.alice.files.get, file.id)
    refused(NotFound, 5002, file.delete)


@check('many files are copied in one call, each with its own result')
def action_copy(world):
    source, target = world.project(), world.project()
    file = world.file(source, 'file')
    result = world.alice.actions.bulk_copy_files([file, 'nonsense'], target.id)
    equal((result[file.id]['status'], result[file.id]['new_file_name']), ('OK', 'file'))
    equal(world.alice.files.get(result[file.id]['new_file_id']).project, target.id)
    holds(result['nonsense']['status'] != 'OK', 'the other is not copied')
