import hashlib
import threading

from sevenbridges.errors import LocalFileAlreadyExists, NotFound, SbgError
from sevenbridges.models.enums import PartSize, TransferState
from sevenbridges.transfer.utils import simple_progress_bar

from checks import check, equal, holds, refused, until

PART = PartSize.UPLOAD_MINIMUM_PART_SIZE


def some_bytes(size):
    return hashlib.shake_128(str(size).encode()).digest(size)


@check('files of every awkward size arrive byte for byte, in parts')
def sizes(world):
    project = world.project()
    for size in (0, 1, PART - 1, PART, PART + 1, 2 * PART + 1, 3 * PART + 12345):
        content = some_bytes(size)
        path = world.local_file(content)
        uploaded = world.alice.files.upload(path, project=project, file_name=f'{size}', part_size=PART)
        equal(uploaded.status, TransferState.COMPLETED)
        equal((uploaded.result().size, uploaded.result().name), (size, f'{size}'))
        back = f'{path}.back'
        uploaded.result().download(back)
        with open(back, 'rb') as file:
            holds(file.read() == content, f'the {size} bytes come back')


@check('an upload goes into a folder, under its own name')
def into_folder(world):
    folder = world.alice.files.create_folder('folder', project=world.project())
    path = world.local_file(b'x', 'own name.txt')
    uploaded = world.alice.files.upload(path, parent=folder)
    equal((uploaded.file_name, uploaded.result().name, uploaded.result().parent),
          ('own name.txt', 'own name.txt', folder.id))


@check('a taken name is refused, unless it is to be overwritten')
def overwrite(world):
    project = world.project()
    first = world.file(project, 'file', b'old')
    path = world.local_file(b'new')
    upload = world.alice.files.upload(path, project=project, file_name='file', wait=False)
    try:
        upload._initialize_upload()
        raise AssertionError('the name was not taken')
    except SbgError as error:
        holds('name' in str(error) or 'exists' in str(error), f'the reason is told: {error}')
    second = world.alice.files.upload(path, project=project, file_name='file', overwrite=True).result()
    equal((second.content(), second.id != first.id), ('new', True))
    refused(NotFound, 5002, world.alice.files.get, first.id)


@check('progress is told, an upload pauses and goes on, and calls back at its end')
def pause_and_resume(world):
    path = world.local_file(some_bytes(8 * PART))
    upload = world.alice.files.upload(path, project=world.project(), part_size=PART, wait=False)
    told, ended, first_part = [], [], threading.Event()

    def progress(state):
        told.append(state.parts_done)
        first_part.set()

    upload.add_progress_callback(progress)
    upload.add_callback(ended.append)
    upload.start()
    holds(first_part.wait(30), 'the first part arrives')
    if upload.status == TransferState.RUNNING:
        upload.pause()
        upload.resume()
    upload.wait()
    equal((upload.status, ended, told[-1]), (TransferState.COMPLETED, [TransferState.COMPLETED], 8))
    holds(upload.duration > 0 and upload.start_time > 0 and upload.progress > 0, 'it has times')
    equal(upload.result().size, 8 * PART)


def stop_after_a_part(transfer):
    reached = threading.Event()

    def held(_progress):
        reached.set()
        until(lambda: transfer._stop_signal)

    transfer.add_progress_callback(held)
    transfer.start()
    holds(reached.wait(30), 'the first part arrives')
    transfer.stop()


@check('a stopped upload leaves nothing behind')
def stop(world):
    project = world.project()
    path = world.local_file(some_bytes(8 * PART))
    upload = world.alice.files.upload(path, project=project, part_size=PART, wait=False)
    stop_after_a_part(upload)
    equal(upload.status, TransferState.STOPPED)
    refused(NotFound, 8003, world.alice.get, f'/upload/multipart/{upload._upload_id}')
    equal(list(world.alice.files.query(project=project)), [])


@check('a download goes in parts, pauses, resumes, and calls back')
def download(world):
    content = some_bytes(12 * 1024 * 1024 + 7)
    file = world.file(world.project(), 'file', content)
    path = str(world.directory / world.name('download'))
    download = file.download(path, wait=False, chunk_size=PART)
    told, ended = [], []
    download.add_progress_callback(lambda state: (told.append(state.progress), simple_progress_bar(state)))
    download.add_callback(ended.append)
    download.start()
    if download.status == TransferState.RUNNING:
        download.pause()
        # The client refuses to resume what is paused, and takes what is not.
        download._status = TransferState.RUNNING
        download.resume()
    download.wait()
    equal((ended, told[-1], download.path), ([TransferState.COMPLETED], 100.0, path))
    with open(path, 'rb') as got:
        holds(got.read() == content, 'the bytes are the same')
    stopped = file.download(f'{path}.stopped', wait=False, chunk_size=PART)
    stop_after_a_part(stopped)
    equal(stopped.status, TransferState.STOPPED)
    try:
        file.download(path)
        raise AssertionError('a local file was overwritten')
    except LocalFileAlreadyExists:
        pass
    file.download(path, overwrite=True)


@check('content and stream read the same bytes')
def content(world):
    file = world.file(world.project(), 'file', 'läuft\n'.encode() * 20000)
    expected = 'läuft\n' * 20000
    equal(file.content() == expected, True)
    equal(file.content(path=str(world.directory / world.name('content'))) == expected, True)
    equal(b''.join(file.stream(part_size=1000)).decode() == expected, True)


@check('the address of a download needs no token, and holds for ranges past the end')
def ranges(world):
    file = world.file(world.project(), 'file', b'0123456789')
    url = file.download_info().url
    answer = world.alice.session.get(url, headers={'Range': 'bytes=8-99'})
    equal((answer.status_code, answer.content, answer.headers['Content-Range']), (206, b'89', 'bytes 8-9/10'))
    forged = world.alice.session.get(url + '0')
    equal(forged.status_code, 403)
