from sevenbridges.errors import BadRequest, NotFound

from checks import check, equal, holds, refused, until


def finished(read, job):
    return until(lambda: (lambda now: now if now.state == 'FINISHED' else None)(read(job.id)))


def tree(world, project):
    folder = world.alice.files.create_folder('folder', project=project)
    world.file(parent=folder, name='inside')
    return folder


@check('files and folders are copied, the result in records')
def copy(world):
    project, target = world.project(), world.project()
    folder = tree(world, project)
    jobs = world.alice.async_jobs
    job = jobs.file_bulk_copy([
        {'file': folder.id, 'project': target.id},
        {'file': world.file(project, 'file').id, 'parent': target.root_folder, 'name': 'renamed'},
        {'file': 'nonsense', 'project': target.id},
    ])
    equal((job.type, job.state in ('SUBMITTED', 'RESOLVING', 'RUNNING', 'FINISHED')), ('COPY', True))
    done = finished(jobs.get_file_copy_job, job)
    equal((done.total_files, done.completed_files, done.failed_files), (3, 2, 1))
    records = done.get_result()
    equal(sorted(record.valid for record in records), [False, True, True])
    equal([f.name for f in target.get_files()], ['folder', 'renamed'])
    equal([f.name for f in target.get_files()[0].list_files()], ['inside'])
    holds(done.started_on <= done.finished_on and done.href.endswith(f'/async/files/copy/{job.id}'), 'times, href')


@check('files and folders are moved between projects, files with their ids')
def move(world):
    project, target = world.project(), world.project()
    folder, file = tree(world, project), world.file(project, 'file')
    jobs = world.alice.async_jobs
    job = jobs.file_bulk_move([
        {'file': folder.id, 'project': target.id}, {'file': file.id, 'parent': target.root_folder, 'name': ''},
    ])
    done = finished(jobs.get_file_move_job, job)
    equal((done.type, done.failed_files), ('MOVE', 0))
    equal(list(project.get_files()), [])
    equal(world.alice.files.get(file.id).project, target.id)


@check('full folders are deleted')
def delete(world):
    project = world.project()
    folder = tree(world, project)
    jobs = world.alice.async_jobs
    done = finished(jobs.get_file_delete_job, jobs.file_bulk_delete([{'file': folder.id}]))
    equal((done.type, done.failed_files, list(project.get_files())), ('DELETE', 0, []))


@check('jobs are listed, page by page, and each is read again by its href')
def listed(world):
    first = world.alice.async_jobs.list_file_jobs(limit=2)
    holds(first.total >= 3 and len(first) == 2, 'the jobs of before are there')
    equal(len(list(first.all())), first.total)
    equal(first[0].reload().id, first[0].id)


@check('a job that is not there is NotFound 57039, a root folder is not to be moved')
def wrong(world):
    jobs = world.alice.async_jobs
    for read in (jobs.get_file_copy_job, jobs.get_file_move_job, jobs.get_file_delete_job):
        refused(NotFound, 57039, read, 'nonsense')
    refused(BadRequest, 57007, jobs.file_bulk_delete, [{'file': 'x'}] * 101)
    project, target = world.project(), world.project()
    job = jobs.file_bulk_move([{'file': project.root_folder, 'project': target.id}])
    done = finished(jobs.get_file_move_job, job)
    equal((done.failed_files, done.get_result()[0].error.code), (1, 57020))
