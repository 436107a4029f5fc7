"""The service that the checks talk to, the people in it, and what they have."""
import itertools
import os
import tempfile
from pathlib import Path

import sevenbridges

from checks import until

TOOL = {
    'class': 'CommandLineTool',
    'cwlVersion': 'v1.2',
    'label': 'Count lines',
    'baseCommand': ['wc', '-l'],
    'inputs': [{'id': 'text', 'type': 'File'}, {'id': 'limit', 'type': 'int?'}],
    'outputs': [{'id': 'count', 'type': 'stdout'}],
    'stdout': 'count.txt',
}


class World:
    def __init__(self, facts):
        """`facts` is what start-world.ts has made."""
        self.facts = facts
        self.alice = self.api('alice')
        self.bob = self.api('bob')
        self.buckets = Path(facts['buckets'])
        self.directory = Path(tempfile.mkdtemp(prefix='svcfs-conformance-', dir=facts['temporary']))
        self._numbers = itertools.count(1)

    def api(self, username, url=None, **options):
        """A call that is given none takes the one through which that kind of resource was used last."""
        options.setdefault('advance_access', True)
        return sevenbridges.Api(
            url=url or self.facts['url'], token=self.facts['tokens'][username], debug=True, **options
        )

    def name(self, word):
        """A name that nothing else has."""
        return f'{word}-{next(self._numbers)}'

    def project(self, **options):
        return self.alice.projects.create(name=self.name('project'), **options)

    def share(self, project, **permissions):
        return project.add_member('bob', {'read': True, **permissions})

    def local_file(self, content=b'content', name=None):
        path = self.directory / (name or self.name('local'))
        path.write_bytes(content)
        return str(path)

    def file(self, project=None, name=None, content=b'content', parent=None):
        path = self.local_file(content)
        place = {'parent': parent} if parent else {'project': project}
        return self.alice.files.upload(path, file_name=name or os.path.basename(path), **place).result()

    def volume(self, access_mode='RW', **options):
        """Answers the volume and the directory that is its bucket."""
        name = self.name('volume').replace('-', '_')
        bucket = name.replace('_', '-')
        volume = self.alice.volumes.create_s3_volume(
            name=name, bucket=bucket, access_key_id='key', secret_access_key='secret',
            access_mode=access_mode, **options
        )
        return volume, self.buckets / bucket

    def app(self, project, document=None):
        return self.alice.apps.install_app(f'{project.id}/{self.name("app")}', document or TOOL)

    def ended(self, job):
        """Follows an import or export to its end."""
        until(lambda: job.reload().state in ('COMPLETED', 'FAILED'))
        return job

    def limited(self, **options):
        """Alice at the service whose rate limit is low."""
        limited = self.facts['limited']
        return sevenbridges.Api(url=limited['url'], token=limited['tokens']['alice'], debug=True, **options)
