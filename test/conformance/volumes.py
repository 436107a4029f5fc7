from sevenbridges.errors import BadRequest, Conflict, Forbidden, NotFound, PaginationError, ResourceNotModified

from checks import check, equal, holds, refused


@check('a volume is made, read and listed, without its secret')
def create(world):
    volume, _bucket = world.volume(description='Why', prefix='in', properties={
        'sse_algorithm': 'aws:kms', 'sse_aws_kms_key_id': 'key-1', 'aws_canned_acl': 'bucket-owner-full-control',
        'aws_storage_class': 'STANDARD_IA',
    })
    read = world.alice.volumes.get(volume.id)
    equal((read.id, read.description, read.access_mode, read.active),
          (f'alice/{volume.name}', 'Why', 'RW', True))
    equal((read.service['type'], read.service['prefix']), ('S3', 'in'))
    equal(dict(read.service['credentials']), {'access_key_id': 'key'})
    equal(read.service['properties']['sse_algorithm'], 'aws:kms')
    equal(read.service['properties']['aws_canned_acl'], 'bucket-owner-full-control')
    holds(read.created_on <= read.modified_on, 'it has times')
    holds(volume in world.alice.volumes.query(limit=100), 'it is in the list')
    equal(len(list(world.alice.volumes.query(limit=1).all())), world.alice.volumes.query().total)


@check('a volume that cannot be is refused, each reason with its code')
def wrong(world):
    taken, _bucket = world.volume()

    def make(code, error_class=BadRequest, **changes):
        volume = {'name': world.name('v').replace('-', '_'), 'bucket': 'b', 'access_key_id': 'k',
                  'secret_access_key': 's', 'access_mode': 'RW', **changes}
        refused(error_class, code, world.alice.volumes.create_s3_volume, **volume)

    make(9010, Conflict, name=taken.name)
    make(9014, name='no spaces')
    make(9030, name='x' * 33)
    make(9015, access_mode='XX')
    make(9022, properties={'aws_canned_acl': 'nonsense'})
    make(9023, properties={'sse_algorithm': 'nonsense'})


@check('description, access mode and service are edited, the service merged')
def edit(world):
    volume, _bucket = world.volume()
    volume.description = 'new'
    volume.access_mode = 'RO'
    volume.service['prefix'] = 'deep'
    volume.save()
    read = world.alice.volumes.get(volume.id)
    equal((read.description, read.access_mode, read.service['prefix']), ('new', 'RO', 'deep'))
    equal(read.service['bucket'], volume.service['bucket'])
    equal(read.reload().description, 'new')
    try:
        read.save()
        raise AssertionError('an unchanged volume was saved')
    except ResourceNotModified:
        pass


@check('a volume is deleted when it is inactive')
def delete(world):
    volume, _bucket = world.volume()
    refused(Conflict, 9069, volume.delete)
    volume.active = False
    volume.save()
    refused(Conflict, 9069, volume.list)
    volume.delete()
    refused(NotFound, 9007, world.alice.volumes.get, volume.id)


@check('contents are listed one level at a time, page by page, with metadata')
def contents(world):
    volume, bucket = world.volume(prefix='top')
    for key in ('a.txt', 'b.txt', 'c.txt', 'sub/d.txt', 'sub/deeper/e.txt'):
        path = bucket / 'top' / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b'12345')
    listed = volume.list()
    equal([o.location for o in listed], ['a.txt', 'b.txt', 'c.txt'])
    equal([p.prefix for p in listed.prefixes], ['sub/'])
    equal((listed[0].volume, listed[0].type, listed[0].metadata['size']), (volume.id, 's3', 5))
    equal(listed.total, -1)
    equal(volume.list(fields='href,location')[0].field('metadata'), None)
    inner = volume.list(prefix='sub/')
    equal(([o.location for o in inner], [p.prefix for p in inner.prefixes]), (['sub/d.txt'], ['sub/deeper/']))
    first = volume.list(limit=2)
    equal(len(first) + len(first.prefixes), 2)
    equal([o.location for o in first.all()], ['a.txt', 'b.txt', 'c.txt'])
    second = first.next_page()
    equal([p.prefix for p in second.prefixes], ['sub/'])
    try:
        second.next_page()
        raise AssertionError('there is a page beyond the last')
    except PaginationError:
        pass
    try:
        second.previous_page()
        raise AssertionError('a volume is paged backwards')
    except PaginationError:
        pass


@check('an object is read by its location and by its href')
def objects(world):
    volume, bucket = world.volume()
    bucket.mkdir(parents=True, exist_ok=True)
    (bucket / 'odd name+ä.txt').write_bytes(b'12345')
    found = volume.get_volume_object_info('odd name+ä.txt')
    equal((found.location, found.volume, found.type, found.metadata['size']),
          ('odd name+ä.txt', volume.id, 's3', 5))
    equal(volume.list()[0].reload().location, 'odd name+ä.txt')
    refused(NotFound, 9105, volume.get_volume_object_info, 'none')
    refused(BadRequest, 9011, volume.get_volume_object_info, '')


@check('members are added, read, edited and removed')
def members(world):
    volume, _bucket = world.volume()
    refused(NotFound, 9007, world.bob.volumes.get, volume.id)
    added = volume.add_member('bob', {'read': True, 'copy': True, 'execute': True})
    equal((added.username, added.permissions['copy'], added.permissions['write']), ('bob', True, False))
    member = volume.get_member('bob', api=world.alice)
    member.permissions['write'] = True
    member.save()
    equal(volume.get_member('bob', api=world.alice).permissions['write'], True)
    equal(sorted(m.username for m in volume.get_members(limit=1).all()), ['alice', 'bob'])
    equal(world.bob.volumes.get(volume.id).id, volume.id)
    seen = world.bob.volumes.get(volume.id)
    seen.description = 'mine'
    refused(Forbidden, 9020, seen.save)
    volume.remove_member('bob')
    refused(NotFound, 9007, world.bob.volumes.get, volume.id)


@check('a volume shows its imports and exports')
def jobs(world):
    project = world.project()
    volume, _bucket = world.volume()
    export = world.ended(world.alice.exports.submit_export(world.file(project, 'f'), volume, 'f'))
    imported = world.ended(world.alice.imports.submit_import(volume, 'f', project=world.project()))
    equal([e.id for e in volume.get_exports(state='COMPLETED')], [export.id])
    equal([i.id for i in volume.get_imports(state='COMPLETED')], [imported.id])
    equal(list(volume.get_imports(state='FAILED')), [])
