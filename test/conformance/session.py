import os
import re
from datetime import datetime

import sevenbridges
from sevenbridges.config import Config
from sevenbridges.errors import BadRequest, MethodNotAllowed, NotFound, Unauthorized
from sevenbridges.models.enums import FeedbackType

from checks import check, equal, holds, refused


@check('the root leads to every part of the API')
def root(world):
    url = world.facts['url']
    endpoints = world.alice.endpoints.get()
    equal(endpoints.projects_url, f'{url}/projects')
    for name in ('rate_limit', 'user', 'users', 'billing', 'files', 'tasks', 'apps', 'action', 'upload'):
        holds(getattr(endpoints, f'{name}_url').startswith(f'{url}/'), f'{name}_url is absolute')


@check('a user reads their own account, by the call and by name')
def own_user(world):
    me = world.alice.users.me()
    equal((me.username, me.email), ('alice', 'alice@example.org'))
    equal(world.alice.users.get('alice').href, me.href)
    equal(me.reload().username, 'alice')
    refused(sevenbridges.NotFound, 2002, world.alice.users.get, 'nobody')


@check('every answer tells the rate limit and its request id')
def limits_in_headers(world):
    limit, remaining = world.alice.limit, world.alice.remaining
    holds(isinstance(limit, int) and 0 < remaining <= limit, 'limit and remaining are numbers')
    holds(isinstance(world.alice.reset_time, datetime), 'the end of the window is a time')
    holds(re.fullmatch(r'\S+', world.alice.request_id), 'there is a request id')


@check('the rate limit has a resource of its own')
def rate_limit(world):
    limit = world.alice.rate_limit.get()
    holds(limit.rate.limit >= limit.rate.remaining > 0, 'the rate is told')
    # The client reads `reset` as text, which neither the platform nor the service sends.
    holds(isinstance(limit.rate.field('reset'), int), 'and when the window ends')
    equal(limit.instance_limit.limit, -1)


@check('a wrong token is Unauthorized 90001, in either header')
def wrong_token(world):
    for token in ({'token': 'nonsense'}, {'oauth_token': 'nonsense'}):
        stranger = sevenbridges.Api(url=world.facts['url'], debug=True, **token)
        refused(Unauthorized, 90001, stranger.users.me)


@check('feedback is taken')
def feedback(world):
    world.alice.actions.send_feedback(type=FeedbackType.IDEA, text='More of it', referrer='here')
    refused(BadRequest, 90000, world.alice.actions.send_feedback, type='x' * 101, text='text')


@check('a token is taken from the environment too')
def from_environment(world):
    os.environ.update(SB_API_ENDPOINT=world.facts['url'], SB_AUTH_TOKEN=world.facts['tokens']['alice'])
    equal(sevenbridges.Api(debug=True).users.me().username, 'alice')
    equal(sevenbridges.Api(config=Config(), debug=True).users.me().username, 'alice')


@check('a bearer token is as good as the header of its own')
def bearer(world):
    api = sevenbridges.Api(url=world.facts['url'], oauth_token=world.facts['tokens']['alice'], debug=True)
    equal(api.users.me().username, 'alice')


@check('an address that is no call is NotFound 90003, a wrong method MethodNotAllowed 90006')
def no_call(world):
    refused(NotFound, 90003, world.alice.get, '/nothing/here')
    refused(MethodNotAllowed, 90006, world.alice.put, '/user')


@check('without advance access no folder can be made, and neither parent nor root_folder shows')
def no_advance_access(world):
    project = world.project()
    world.file(project, 'file')
    plain = world.api('alice', advance_access=False)
    refused(BadRequest, 5033, plain.files.create_folder, 'folder', project=project)
    equal(plain.projects.get(project.id).root_folder, None)
    equal(plain.files.query(project=project)[0].parent, None)
    equal(world.alice.files.query(project=project)[0].parent, project.root_folder)


@check('`fields` selects, nested ones and all but some too')
def fields(world):
    project = world.project()
    file = world.file(project, 'file')
    file.metadata = {'sample': 'S1', 'lane': '2'}
    file.save()

    def read(selector):
        return world.alice.get(f'/files/{file.id}', params={'fields': selector}).json()

    equal(read('id,metadata.sample'), {'id': file.id, 'metadata': {'sample': 'S1'}})
    holds('metadata' in read('_all') and 'metadata' not in read('!metadata'), '_all and !metadata')
    items = world.alice.get('/files', params={'project': project.id, 'fields': 'name'}).json()['items']
    equal(items, [{'name': 'file'}])
