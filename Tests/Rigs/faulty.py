"""Makes each call on an output fail in each way that is its own (faults.c)."""

import errno
import os
import shutil

from batch import Fault, few_jobs, require, tool

RIGS = os.path.dirname(os.path.abspath(__file__))


def build_faults(folder):
    """The library that is preloaded to make calls fail."""
    library = os.path.join(folder, "faults.so")
    compiler = shutil.which("clang") or "cc"
    tool(compiler, "-O1", "-fPIC", "-shared", os.path.join(RIGS, "faults.c"), "-o", library, "-ldl")
    return library


def fault(library, batch, words=None, log=None):
    preloaded = [library, *filter(None, [os.environ.get("LD_PRELOAD")])]
    environment = {"LD_PRELOAD": ":".join(preloaded), "FAULT_ROOT": batch.folder}
    if words:
        environment["FAULT"] = words
    if log:
        environment["FAULT_LOG"] = log
    return environment


def calls_of(library, batch, *options):
    """The calls on files of an undisturbed run: (call, path)."""
    log = os.path.join(os.path.dirname(library), "calls")
    if os.path.exists(log):
        os.remove(log)
    batch.reset()
    status, screen = batch.run(*options, environment=fault(library, batch, log=log))
    require(status == 0, "with its calls counted, the run gave", status, screen)
    return logged(log)


def logged(log):
    with open(log) as lines:
        return [tuple(line.rstrip("\n").split(" ", 1)) for line in lines]


# What each call may plausibly answer.
ERRORS = {
    "open": [errno.ENOSPC, errno.EMFILE, errno.EIO, errno.EACCES],
    "opendir": [errno.EMFILE, errno.EIO],
    "pwrite": [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG, errno.EINTR, "short"],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, "short"],
    "fsync": [errno.EIO, errno.ENOSPC],
    "rename": [errno.EACCES, errno.EIO, errno.ENOSPC],
    "link": [errno.EACCES, errno.EIO, errno.ENOSPC],
    "mkdir": [errno.EACCES, errno.ENOSPC],
    "ftruncate": [errno.EIO],
    "flock": [errno.ENOLCK],
    "close": [errno.EIO],
    # A file that may not be taken away stays: the next run takes it away.
    "unlink": [errno.EIO],
    "rmdir": [errno.EIO],
}
# Of outputs, none of these may fail in silence, unless the call can be made again.
TOLD = "opendir", "pwrite", "fsync", "rename"
AGAIN = errno.EINTR, "short"


def torture_faults(options, folder, dice):
    batch = few_jobs(options, os.path.join(folder, "batch"), rate=8000)
    library = build_faults(folder)
    calls = calls_of(library, batch, "--workers", "1")
    # What is only read, media and job file, is not what this is about.
    places = [
        (number, call) for number, call in enumerate(calls, 1)
        if call[1].startswith((batch.path("out"), batch.path(".avjob")))]
    if options.rounds:
        places = sorted(dice.sample(places, min(options.rounds, len(places))))
    tried = struck = told = 0
    for number, (call, path) in places:
        errors = ERRORS[call]
        for action in errors if not options.rounds else [dice.choice(errors)]:
            try:
                is_struck, is_told = fail_once(batch, library, number, action, dice)
            except Fault as problem:
                said = action if action == "short" else errno.errorcode[action]
                raise Fault(f"call {number}, {call} of {path}, {said}: {problem}")
            tried, struck, told = tried + 1, struck + is_struck, told + is_told
    # Of the last calls of a run there may be fewer than when they were counted.
    require(struck >= 0.9 * tried, "only", struck, "of", tried, "failures struck")
    kinds = " ".join(sorted({call for _, (call, _) in places}))
    print(f"faults: {len(places)} calls ({kinds}), {struck} of {tried} failures struck, "
          f"{told} told, nothing torn, nothing left over")


def fail_once(batch, library, number, action, dice):
    """Whether a failure of the call of that number struck, and whether it was told."""
    batch.reset(old=dice.random() < 0.5)
    log = library + ".log"
    if os.path.exists(log):
        os.remove(log)
    environment = fault(library, batch, f"any:{number}:{action}", log)
    # Another attempt would do what the first could not, as it should.
    status, screen = batch.run("--workers", "1", "--retry", "0", environment=environment)
    right = batch.whole()
    # Threads may have come in another order than in the run that was counted.
    calls = logged(log)
    struck = [(call[1:], path) for call, path in calls if call.startswith("!")]
    call, path = struck[0] if struck else ("close", "")
    # A folder is opened first to look for what killed runs left there; that may fail in silence.
    is_look = call == "opendir" and ("opendir", path) not in calls[:calls.index(("!opendir", path))]
    require(status in (0, 1, 75), "gave", status, screen)
    if status == 0:
        require(right == set(batch.expected), "is silent, but not in place are",
                sorted(set(batch.expected) - right))
        must_tell = call in TOLD and action not in AGAIN and not is_look
        must_tell = must_tell and "/.avjob" not in path
        require(not must_tell, call, path, "is silent")
    else:
        require(any(name in screen for name in [*batch.expected, ".avjob"]), "names no file:",
                screen)
        require("error: " in screen, "says no error:", screen)
    if call not in ("unlink", "flock"):
        batch.require_no_temporaries()
    batch.finish("--workers", "1")
    return bool(struck), status != 0
