"""Drives the platform's public Python client against a service. Started by main.ts, with the facts of its world."""
import importlib
import json
import logging
import sys

import sevenbridges

import coverage
import dialect
from checks import run_all
from world import World

AREAS = ('session', 'projects', 'files', 'transfers', 'async_jobs', 'volumes', 'storage_jobs', 'apps', 'tasks',
         'billing', 'limits', 'completeness')


def main():
    logging.disable(logging.WARNING)
    world = World(json.load(sys.stdin))
    if world.facts['dialect'] == 'svc':
        dialect.speak_the_api_document()
    world.coverage = coverage.Coverage()
    for area in AREAS:
        importlib.import_module(area)
    world.coverage.start()
    passed, total = run_all(world)
    print('out of the law, not counted:', ', '.join(world.coverage.outside()))
    print(f'{len(world.coverage.inside())} methods of sevenbridges-python {sevenbridges.__version__} driven')
    print(f'{passed} passed of {total}')
    return 0 if passed == total else 1


if __name__ == '__main__':
    sys.exit(main())
