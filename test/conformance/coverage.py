"""What of the client's own code the checks have run."""
import inspect
import sys
import threading

import sevenbridges
from sevenbridges.meta.collection import Collection, VolumeCollection
from sevenbridges.transfer.download import Download
from sevenbridges.transfer.upload import Upload

# What the law has not. A whole class, or a method.
OUT_OF_THE_LAW = {
    'Automation', 'AutomationMember', 'AutomationPackage', 'AutomationRun',
    'Dataset', 'DRSImportBulk', 'Division', 'Marker', 'Team', 'TeamMember',
    'User.query', 'User.disable', 'User.delete',
    'Project.add_member_team', 'Project.add_member_division', 'Volume.add_member_team', 'Volume.add_member_division',
    # Stores other than S3 with a key and a secret.
    'Volume.create_s3_volume_role_auth', 'Volume.create_google_volume', 'Volume.create_google_iam_volume',
    'Volume.create_oss_volume',
}
# Never reach a service.
LOCAL = {
    'equals', 'deepcopy', 'field', 'update_old',
    # Passes its query a filter that the query does not take.
    'Project.get_exports',
}
# Of every resource, where it has an address for them.
INHERITED = ('get', 'delete', 'reload')


class Coverage:
    """Sees each call of a method of the client, without touching it."""

    def __init__(self):
        self._methods = {
            f'{resource.__name__}.{name}': _code_of(function)
            for resource in _resources() for name, function in _methods(resource)
        }
        self._codes = set(self._methods.values())
        self._seen = set()

    def start(self):
        threading.setprofile(self._see)
        sys.setprofile(self._see)

    def _see(self, frame, event, _argument):
        code = frame.f_code
        if event == 'call' and code in self._codes:
            owner = frame.f_locals.get(code.co_varnames[0])
            kind = owner if isinstance(owner, type) else type(owner)
            self._seen.add((kind.__name__, code))

    def inside(self):
        return sorted(set(self._methods) - set(self.outside()))

    def outside(self):
        return sorted(name for name in self._methods if not OUT_OF_THE_LAW.isdisjoint((name, name.split('.')[0])))

    def missing(self):
        return [name for name in self.inside() if (name.split('.')[0], self._methods[name]) not in self._seen]


def _resources():
    listed = [value for value in vars(sevenbridges.Api).values() if inspect.isclass(value)]
    return [*listed, sevenbridges.Member, sevenbridges.AutomationMember, sevenbridges.TeamMember,
            Collection, VolumeCollection, Upload, Download]


def _methods(resource):
    for name, function in inspect.getmembers(resource, inspect.isroutine):
        if name.startswith('_') or not LOCAL.isdisjoint((name, f'{resource.__name__}.{name}')):
            continue
        if any(name in vars(base) for base in (dict, list, threading.Thread) if issubclass(resource, base)):
            if name not in vars(resource):
                continue
        if name in INHERITED and name not in vars(resource) and name not in resource._URL:
            continue
        yield name, function


def _code_of(method):
    """Of the method itself, where the client has wrapped it."""
    function = getattr(method, '__func__', method)
    inner = [cell.cell_contents for cell in function.__closure__ or () if inspect.isfunction(cell.cell_contents)]
    return (inner[0] if inner else function).__code__
