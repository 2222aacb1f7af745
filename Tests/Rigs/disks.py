"""Runs batches on disks that are too small, and looks at what reaches a disk in which order."""

import os
import re
import subprocess
import sys

from batch import Fault, few_jobs, require, tool, twenty_jobs

# ---- disk --------------------------------------------------------------------------------------


def torture_disk(options, folder, dice):
    base = os.path.join(folder, "batch")
    os.makedirs(base)
    batch = twenty_jobs(options, base)
    sizes = {name: os.stat(batch.path(name)).st_size for name in batch.expected}
    total = sum(sizes.values()) + 4096 * len(sizes)
    failures = 0
    for number in range(options.rounds):
        limit = max(8192, int(dice.random() * total))
        whole_folder = dice.random() < 0.5
        try:
            failures += fill_once(batch, limit, whole_folder)
        except Fault as problem:
            place = "job file and outputs" if whole_folder else "outputs"
            raise Fault(f"round {number}, {limit} bytes for {place}: {problem}")
    print(f"disk: {options.rounds} full disks, {failures} failures told, nothing torn, "
          "nothing left over, all whole once there was room")


def enter_namespace():
    """Starts this anew where mounts are its own and vanish with it; ends it where that is refused."""
    if os.environ.get("TORTURE_NAMESPACE"):
        return
    for options in "-m", "-rm":
        attempt = ["unshare", options]
        mounts = subprocess.run(
            [*attempt, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
        if mounts.returncode == 0:
            os.environ["TORTURE_NAMESPACE"] = "1"
            os.execvp("unshare", [*attempt, sys.executable, *sys.argv])
    print("disk: skipped, since this user may not mount a file system")
    sys.exit(0)


def fill_once(batch, limit, whole_folder):
    batch.reset()
    # In `.avjob` lies what must not be forgotten; it may be on the full disk or on another.
    places = [batch.path("out")] + ([batch.path(".avjob")] if whole_folder else [])
    mounted = []
    disk = batch.folder + ".disk"
    os.makedirs(disk, exist_ok=True)
    tool("mount", "-t", "tmpfs", "-o", f"size={limit}", "none", disk)
    mounted.append(disk)
    try:
        for number, place in enumerate(places):
            os.makedirs(place)
            os.makedirs(os.path.join(disk, str(number)))
            tool("mount", "--bind", os.path.join(disk, str(number)), place)
            mounted.append(place)
        status, screen = batch.run()
        right = batch.whole()
        batch.require_no_temporaries()
        told = 0
        # Found before work starts: that an output does not fit, or all do not.
        refused = re.findall(r"'([^'\n]+)': (?:with [^\n]* )?takes .* its disk", screen)
        is_all = "all outputs together take" in screen
        if is_all:
            require(status == 2 and not right, "gave", status, screen)
        for name, job in batch.jobs.items():
            if is_all or set(job["outputs"]) <= right:
                continue
            if any(path.endswith(output) for path in refused for output in job["outputs"]):
                continue
            require(re.search(rf"(?m)^{name}: failed", screen), name, "is not said to have failed")
            told += 1
        if told:
            require(status == 1, "gave", status, screen)
            require(screen.count("No space left on device") >= told, "says", screen)
        tool("mount", "-o", "remount,size=1g", disk)
        batch.finish()
        return told
    finally:
        for place in reversed(mounted):
            tool("umount", "-l", place)


# ---- order -------------------------------------------------------------------------------------


def torture_order(options, folder, dice):
    batch = few_jobs(options, os.path.join(folder, "batch"), rate=8000)
    batch.reset()
    log = os.path.join(folder, "trace")
    # LeakSanitizer, where it is in the command, would trace as well, and one is the limit.
    sanitizer = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    result = subprocess.run(
        ["strace", "-f", "-y", "-qq", "-s", "0", "-o", log, "-e", "signal=none", "-e",
         "trace=write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,linkat,ftruncate",
         batch.avjob, "run", batch.file],
        cwd=batch.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={**os.environ, **sanitizer})
    require(result.returncode == 0, "under strace the run gave", result.returncode, result.stderr)
    batch.require_complete()
    with open(log) as lines:
        check_order(batch, list(events(batch, lines)))
    print(f"order: {len(batch.expected)} outputs of {len(batch.jobs)} jobs: written, flushed, all "
          "of a job before the first is renamed, their folder, then the receipt")


def events(batch, lines):
    """(what, path) in order of completion: `write`, `flush`, or `rename` with both paths."""
    pending = {}
    for line in lines:
        thread, rest = line.rstrip("\n").split(None, 1)
        if rest.endswith("<unfinished ...>"):
            pending[thread] = rest.removesuffix("<unfinished ...>")
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", rest)
        if resumed:
            rest = pending.pop(thread) + rest[resumed.end():]
        call = re.match(r"(\w+)\(", rest)
        if not call or re.search(r"= -1 ", rest):
            continue
        name = call.group(1)
        if name.startswith(("rename", "link")):
            paths = re.findall(r'"([^"]*)"', rest)
            yield "rename", tuple(os.path.normpath(batch.path(path)) for path in paths)
            continue
        place = re.search(r"\(\d+<([^>]*)>", rest)
        if place and place.group(1).startswith(batch.folder):
            yield "flush" if "sync" in name else "write", place.group(1)


def check_order(batch, events):
    flushed, renamed, moved = {}, {}, {}
    for index, (what, path) in enumerate(events):
        if what == "write":
            flushed.pop(path, None)
            require(path not in moved, path, "is written after it was renamed")
        elif what == "flush":
            flushed[path] = index
        else:
            source, target = path
            # A receipt that a power failure tears is none; an output may not be torn.
            is_record = "/.avjob/" in target
            require(is_record or source in flushed, source, "is renamed before it is flushed")
            renamed[target] = (index, flushed.get(source))
            moved[source] = target
            # Its temporary name may serve the next one.
            moved.pop(target, None)
    for name, job in batch.jobs.items():
        places = [batch.path(output) for output in job["outputs"]]
        for place in places:
            require(place in renamed, place, "was not renamed into its place")
            folder = os.path.dirname(place)
            require(any(what == "flush" and path == folder
                        for what, path in events[renamed[place][0]:]),
                    "the folder of", place, "is not flushed after the rename")
        first = min(renamed[place][0] for place in places)
        for place in places:
            require(renamed[place][1] < first, place, "is flushed after another one of", name,
                    "was renamed")
        check_record(batch, name, places, renamed)


def check_record(batch, name, places, renamed):
    """What is remembered of a job is written when all of its outputs are in place."""
    last = max(renamed[place][0] for place in places)
    receipts = [
        target for target in renamed if "/.avjob/receipts/" in target
        and any(os.path.basename(target).startswith(os.path.basename(place) + "-")
                for place in places)]
    require(receipts or not batch.kept, name, "has no receipt")
    for target in receipts:
        require(renamed[target][0] > last, target, "is written before the outputs are in place")
