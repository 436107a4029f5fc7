import time

from sevenbridges.errors import TooManyRequests
from sevenbridges.http.error_handlers import general_error_sleeper, maintenance_sleeper, rate_limit_sleeper

from checks import check, equal, holds, refused


@check('beyond the rate limit a call is TooManyRequests 1000')
def refused_beyond(world):
    api = world.limited(retry_count=1)
    error = None
    for _ in range(world.facts['limited']['requests'] + 1):
        try:
            api.users.me()
        except TooManyRequests as caught:
            error = caught
            break
    equal(error and (error.status, error.code), (429, 1000))
    holds(error.message, 'the error has a message')


@check('the client waits for the end of the window by its own handler, and goes on')
def waits(world):
    api = world.limited(error_handlers=[rate_limit_sleeper, maintenance_sleeper, general_error_sleeper])
    begin = time.monotonic()
    for _ in range(2 * world.facts['limited']['requests']):
        equal(api.users.me().username, 'alice')
    holds(time.monotonic() - begin < 30, 'the wait is no longer than the window')
    api.remove_error_handler(general_error_sleeper)
    api.add_error_handler(general_error_sleeper)
    equal(len(api.error_handlers), 3)
