"""Checks in the order in which they are written down, and what they are made of."""
import sys
import time
import traceback

_checks = []


def check(title):
    """Marks a function that takes the world and raises when the service does not do what `title` says."""
    def mark(function):
        _checks.append((title, function))
        return function
    return mark


def run_all(world):
    """Prints a line for each check; answers how many passed, of how many."""
    failed = []
    area = None
    for title, function in _checks:
        if function.__module__ != area:
            area = function.__module__
            print(f'{area}')
        try:
            function(world)
            print(f'  ok    {title}')
        except Exception as error:
            failed.append(title)
            print(f'  FAIL  {title}: {type(error).__name__}: {error}')
            traceback.print_exc(file=sys.stderr)
        sys.stdout.flush()
    return len(_checks) - len(failed), len(_checks)


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f'{actual!r} is not {expected!r}')


def holds(condition, what):
    if not condition:
        raise AssertionError(f'not so: {what}')


def refused(error_class, code, function, *args, **options):
    """Expects the client's error class with the service's code, and answers the error."""
    try:
        answer = function(*args, **options)
    except error_class as error:
        equal((type(error), error.code), (error_class, code))
        holds(error.message and error.more_info is not None, 'the error has a message and more_info')
        return error
    raise AssertionError(f'answered {answer!r}, not {error_class.__name__} {code}')


def until(condition, seconds=30):
    """Polls until the condition answers something true, and answers that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f'not within {seconds} s')
