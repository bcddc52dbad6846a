"""The repair engine behind the fault-finding and patch-searching tools.

`engine` is the front and runs with us. `worker/` and `syntax` run in the project's own interpreter, which has pytest
but neither this package nor its dependencies, and may own a package called `bot` itself. So `worker/boot.py` is started
by path: it registers empty packages `bot` and `bot.repair` that point at these folders, imports the worker through
them, and then takes the names out of `sys.modules` again, before anything of the project is imported. The worker's
modules use ordinary absolute imports, the standard library and pytest, and the syntax of Python 3.9.
"""
