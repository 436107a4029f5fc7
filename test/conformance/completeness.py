from checks import check, equal


@check('every method of every resource of the client was driven, but those out of the law')
def complete(world):
    equal(world.coverage.missing(), [])
