"""Ends avjob at bad moments, takes its disk away, and looks at what is left.

Each torture runs a batch undisturbed first. After that, whatever is done to a run: an output is
absent, the old one, or the bytes of the undisturbed run; and one more run makes all of them whole,
leaves nothing beside them, and does no job again that had said it was done.
"""

import argparse
import errno
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RIGS = os.path.dirname(os.path.abspath(__file__))
OLD = b"what was there before\n"


class Fault(Exception):
    """Something that must not be."""


def require(condition, *words):
    if not condition:
        raise Fault(" ".join(str(word) for word in words))


# ---- The batch ---------------------------------------------------------------------------------


class Batch:
    """A folder with media, `job.yaml`, and all outputs in `out`."""

    def __init__(self, avjob, folder, jobs, options=()):
        self.avjob, self.folder, self.jobs, self.options = avjob, folder, jobs, list(options)
        self.file = self.path("job.yaml")
        self.expected = {}
        self.records = set()
        os.makedirs(folder, exist_ok=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_job_file(self):
        with open(self.file, "w") as file:
            file.write("jobs:\n")
            for name, job in self.jobs.items():
                file.write(f"  {name}:\n")
                for line in job["yaml"]:
                    file.write(f"    {line}\n")

    def start(self, *options, environment=None, said=subprocess.PIPE):
        command = [self.avjob, "run", *self.options, *options, self.file]
        return subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=said, env={**os.environ, **(environment or {})}, text=True)

    def run(self, *options, environment=None, seconds=300):
        """Status and screen of a run to its end."""
        process = self.start(*options, environment=environment)
        try:
            screen = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Fault(f"the run did not end within {seconds} s")
        return process.returncode, screen

    def prepare(self):
        """The undisturbed run: which bytes are right, and how long it takes."""
        start = time.monotonic()
        status, screen = self.run()
        self.seconds = time.monotonic() - start
        require(status == 0, "the undisturbed run gave", status, screen)
        found = self.found()
        wanted = {output for job in self.jobs.values() for output in job["outputs"]}
        require(set(found) == wanted, "undisturbed, there are", sorted(found))
        self.expected = {output: digest(self.path(output)) for output in wanted}
        self.records = set(self.kept_records())

    def decode(self):
        """Has ffmpeg say whether the undisturbed outputs are sound."""
        for output in sorted(self.expected):
            if not output.endswith((".psc", ".json")):
                check_sound(self.path(output))

    def found(self):
        """What lies in `out`, relative to the batch's folder."""
        return [
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.path("out")) for name in names]

    def kept_records(self):
        return [
            os.path.relpath(os.path.join(folder, name), self.path(".avjob"))
            for folder, _, names in os.walk(self.path(".avjob")) for name in names]

    def reset(self, old=False):
        """As if nothing had ever run; with older outputs in place where `old`."""
        for name in "out", ".avjob":
            shutil.rmtree(self.path(name), ignore_errors=True)
        if old:
            for output in self.expected:
                os.makedirs(os.path.dirname(self.path(output)), exist_ok=True)
                with open(self.path(output), "wb") as file:
                    file.write(OLD)

    def whole(self):
        """The outputs that are in place and right; no other may be there, but older ones."""
        right = set()
        for name in self.found():
            if is_temporary(name):
                continue
            require(name in self.expected, "there is", name)
            value = digest(self.path(name))
            if value == self.expected[name]:
                right.add(name)
            else:
                require(value == hashlib.sha256(OLD).hexdigest(), name, "is torn")
        return right

    def require_no_temporaries(self):
        for name in self.found():
            require(not is_temporary(name), name, "is left over")

    def require_complete(self):
        missing = set(self.expected) - self.whole()
        require(not missing, "not in place:", sorted(missing))
        self.require_no_temporaries()
        records = set(self.kept_records())
        require(records == self.records, "in .avjob there are",
                sorted(records ^ self.records)[:5], "too many or too few")

    def finish(self, *options):
        """One more run, undisturbed, after which all is as it should be."""
        status, screen = self.run(*options)
        require(status == 0, "the next run gave", status, screen)
        self.require_complete()

    def marks(self):
        """Which file each output is: a job that is done again makes others."""
        marks = {}
        for output in self.expected:
            try:
                facts = os.stat(self.path(output))
                marks[output] = (facts.st_ino, facts.st_mtime_ns)
            except FileNotFoundError:
                pass
        return marks

    @property
    def has_records(self):
        """Whether this avjob remembers what it has done."""
        return bool(self.records)


def is_temporary(name):
    return re.search(r"\.avjob-\d+\.tmp$", name) is not None


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check_sound(path):
    """Decodes a file by ffmpeg, which must find sound and no fault."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "s16le", "-"],
        stdin=subprocess.DEVNULL, capture_output=True)
    require(result.returncode == 0 and len(result.stdout) > 1000 and not result.stderr,
            "ffmpeg says of", path, result.stderr)


def tool(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def make_media(folder, seconds, rate=44100):
    """A noise in three formats that are read in three ways."""
    os.makedirs(folder, exist_ok=True)
    noise = os.path.join(folder, "noise.wav")
    tool("sox", "-R", "-r", str(rate), "-n", "-c", "2", "-b", "16", noise, "synth", str(seconds),
         "pinknoise", "vol", "0.3")
    tool("flac", "-s", "-f", noise, "-o", os.path.join(folder, "noise.flac"))
    tool("lame", "--quiet", "-V5", noise, os.path.join(folder, "noise.mp3"))


def job(name, clip, *outputs, extra=()):
    """A job with outputs; of an MP3 also the files of chapters."""
    lines, paths = [f"clip: {clip}", *extra], []
    lines.append("output:")
    for suffix in outputs:
        path = f"out/{name}.{suffix}"
        paths.append(path)
        if suffix == "mp3":
            lines.append(f"  - {{ file: {path}, chapters: [file, podlove, podcasting2] }}")
            paths += [f"out/{name}.psc", f"out/{name}.chapters.json"]
        else:
            lines.append(f"  - {path}")
    if "mp3" in outputs:
        lines.append("chapters: { 0s: Intro, 50ms: News }")
    return {"yaml": lines, "outputs": paths}


def twenty_jobs(options, folder):
    """All formats, several outputs a job, folders that have to be made."""
    make_media(folder, options.seconds)
    kinds = ["wav"], ["flac"], ["mp3"], ["m4a"], ["ogg"], ["opus"], ["mp3", "flac"], ["aiff", "caf"]
    clips = "noise.wav", "noise.flac", "noise.mp3"
    jobs = {}
    for number in range(20):
        name = f"{'deep/' * (number % 3)}{number:02}"
        jobs[f"j{number:02}"] = job(name, clips[number % 3], *kinds[number % len(kinds)])
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.prepare()
    return batch


# ---- Faults ------------------------------------------------------------------------------------


def build_faults(folder):
    """The library that is preloaded to make calls fail."""
    library = os.path.join(folder, "faults.so")
    compiler = shutil.which("clang") or "cc"
    tool(compiler, "-O1", "-fPIC", "-shared", os.path.join(RIGS, "faults.c"), "-o", library, "-ldl")
    return library


def fault(library, batch, words=None, log=None):
    environment = {"LD_PRELOAD": library, "FAULT_ROOT": batch.folder}
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


# ---- kill --------------------------------------------------------------------------------------


def announced(screen):
    """Jobs that a killed run had said to be done."""
    return set(re.findall(r"^(j\d+): done\b", screen, re.MULTILINE))


def torture_kill(options, folder, dice):
    batch = twenty_jobs(options, os.path.join(folder, "batch"))
    batch.decode()
    library = build_faults(folder)
    calls = len(calls_of(library, batch))
    killed = again = 0
    for number in range(options.rounds):
        where = f"round {number}"
        try:
            died, repeated = kill_once(batch, library, calls, dice)
            killed += died
            again += repeated
        except Fault as problem:
            raise Fault(f"{where}: {problem}")
    print(f"kill: {options.rounds} rounds, {killed} of them killed at work, nothing torn, "
          f"nothing left over, {again} jobs done again that were in place")


def kill_once(batch, library, calls, dice):
    batch.reset(old=dice.random() < 0.3)
    screen_path = os.path.join(os.path.dirname(library), "screen")
    environment = None
    moment = dice.random() * batch.seconds * 1.1
    how = f"after {moment:.3f} s"
    if dice.random() < 0.5:
        # At the calls themselves, which are most of what can go wrong and little of the time.
        words = f"any:{dice.randint(1, calls)}:{dice.choice(['kill', 'killed'])}"
        how, moment = words, 300
        environment = fault(library, batch, words)
    with open(screen_path, "w") as said:
        process = batch.start(environment=environment, said=said)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
        status = process.wait()
    # With --isolate it may be a job's process that died.
    allowed = (0, -signal.SIGKILL, 1, 75) if "--isolate" in batch.options else (0, -signal.SIGKILL)
    require(status in allowed, how, "gave", status)
    try:
        in_place, marks = batch.whole(), batch.marks()
        batch.finish()
        with open(screen_path) as said:
            done = announced(said.read())
        return status != 0, count_repeated(batch, in_place, marks, done)
    except Fault as problem:
        raise Fault(f"killed {how}: {problem}")


def count_repeated(batch, in_place, marks, done):
    """How many jobs were done again although their outputs were in place.

    None that had been announced; of the others as many as may have stood between the last rename
    and the receipt, that is, one for each core.
    """
    if not batch.has_records:
        return 0
    now = batch.marks()
    repeated = [
        name for name, job in batch.jobs.items()
        if set(job["outputs"]) <= in_place
        and any(marks[output] != now[output] for output in job["outputs"])]
    for name in repeated:
        require(name not in done, name, "was done, and is done again")
    require(len(repeated) <= len(os.sched_getaffinity(0)), "done again:", repeated)
    return len(repeated)


# ---- faults ------------------------------------------------------------------------------------

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
    told = 0
    for number, (call, path) in places:
        errors = ERRORS[call]
        for action in errors if not options.rounds else [dice.choice(errors)]:
            try:
                told += fail_once(batch, library, number, action, dice)
            except Fault as problem:
                said = action if action == "short" else errno.errorcode[action]
                raise Fault(f"call {number}, {call} of {path}, {said}: {problem}")
    kinds = " ".join(sorted({call for _, (call, _) in places}))
    print(f"faults: {len(places)} calls ({kinds}), {told} failures told, "
          "nothing torn, nothing left over")


def few_jobs(options, folder, rate):
    make_media(folder, options.seconds, rate)
    jobs = {
        "j00": job("deep/00", "noise.wav", "mp3", "flac"),
        "j01": job("01", "noise.flac", "m4a"),
        "j02": job("02", "noise.wav", "wav"),
    }
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.prepare()
    return batch


def fail_once(batch, library, number, action, dice):
    """Whether a failure of the call of that number is told."""
    batch.reset(old=dice.random() < 0.5)
    log = library + ".log"
    if os.path.exists(log):
        os.remove(log)
    environment = fault(library, batch, f"any:{number}:{action}", log)
    # Another attempt would do what the first could not, as it should.
    status, screen = batch.run("--workers", "1", "--retry", "0", environment=environment)
    right = batch.whole()
    # Threads may have come in another order than in the run that was counted.
    struck = [(call[1:], path) for call, path in logged(log) if call.startswith("!")]
    call, path = struck[0] if struck else ("close", "")
    require(status in (0, 1, 75), "gave", status, screen)
    if status == 0:
        require(right == set(batch.expected), "is silent, but not in place are",
                sorted(set(batch.expected) - right))
        must_tell = call in TOLD and action not in AGAIN and "/.avjob" not in path
        require(not must_tell, call, path, "is silent")
    else:
        require(any(name in screen for name in [*batch.expected, ".avjob"]), "names no file:",
                screen)
        require("error: " in screen, "says no error:", screen)
    if call not in ("unlink", "flock"):
        batch.require_no_temporaries()
    batch.finish("--workers", "1")
    return status != 0


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
        for name, job in batch.jobs.items():
            if set(job["outputs"]) <= right:
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
    result = subprocess.run(
        ["strace", "-f", "-y", "-qq", "-s", "0", "-o", log, "-e", "signal=none", "-e",
         "trace=write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,link,ftruncate",
         batch.avjob, "run", batch.file],
        cwd=batch.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
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
    require(receipts or not batch.has_records, name, "has no receipt")
    for target in receipts:
        require(renamed[target][0] > last, target, "is written before the outputs are in place")


# ---- twice -------------------------------------------------------------------------------------


def torture_twice(options, folder, dice):
    batch = twenty_jobs(options, os.path.join(folder, "batch"))
    killed = 0
    for number in range(options.rounds):
        batch.reset(old=dice.random() < 0.3)
        delay = dice.random() * batch.seconds * dice.choice([0.02, 1])
        moment = dice.random() * batch.seconds * 2 if dice.random() < 0.5 else None
        try:
            killed += run_twice(batch, folder, delay, moment)
        except Fault as problem:
            raise Fault(f"round {number}, the second after {delay:.3f} s, "
                        f"the first killed after {moment}: {problem}")
    print(f"twice: {options.rounds} pairs of runs, {killed} with one killed, nothing torn, "
          "nothing left over")


def run_twice(batch, folder, delay, moment):
    with open(os.path.join(folder, "screen"), "w") as said:
        first = batch.start(said=said)
        time.sleep(delay)
        second = batch.start(said=said)
        if moment is not None:
            try:
                first.wait(moment)
            except subprocess.TimeoutExpired:
                first.kill()
        statuses = [process.wait(300) for process in (first, second)]
    with open(os.path.join(folder, "screen")) as said:
        screen = said.read()
    is_killed = statuses[0] == -signal.SIGKILL and moment is not None
    require(statuses[1] == 0 and (statuses[0] == 0 or is_killed), "gave", statuses, screen)
    missing = set(batch.expected) - batch.whole()
    require(not missing, "not in place:", sorted(missing))
    if not is_killed:
        batch.require_complete()
    batch.finish()
    return is_killed


# ---- broken ------------------------------------------------------------------------------------

FORMATS = "wav", "flac", "mp3", "m4a", "ogg", "opus", "aiff", "caf", "mka", "wv", "tta", "ac3"


def torture_broken(options, folder, dice):
    folder = os.path.join(folder, "batch")
    right = whole_outputs(options, folder)
    told = 0
    for number in range(options.rounds):
        try:
            told += break_some(options, folder, right, dice)
        except Fault as problem:
            raise Fault(f"round {number}: {problem}")
    print(f"broken: {options.rounds} batches of 200 with 40 broken inputs, {told} of them refused, "
          "every other output right")


def whole_outputs(options, folder):
    """The right bytes for an input of each format, as WAV and as FLAC."""
    make_media(folder, options.seconds)
    jobs = {}
    for suffix in FORMATS:
        tool("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", os.path.join(folder, "noise.wav"),
             "-strict", "-2", os.path.join(folder, f"whole.{suffix}"))
        for output in "wav", "flac":
            jobs[suffix + output] = job(f"{suffix}-{output}", f"whole.{suffix}", output)
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.prepare()
    batch.decode()
    return {(suffix, output): batch.expected[f"out/{suffix}-{output}.{output}"]
            for suffix in FORMATS for output in ("wav", "flac")}


def break_some(options, folder, right, dice):
    raw = os.path.join(folder, "raw")
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    jobs, wanted, broken = {}, {}, set(dice.sample(range(200), 40))
    for number in range(200):
        suffix, output = dice.choice(FORMATS), dice.choice(["wav", "flac"])
        with open(os.path.join(folder, f"whole.{suffix}"), "rb") as file:
            data = bytearray(file.read())
        if number in broken:
            data = damaged(data, dice)
        with open(os.path.join(raw, f"{number:03}.{suffix}"), "wb") as file:
            file.write(data)
        jobs[f"j{number:03}"] = job(f"{number:03}", f"raw/{number:03}.{suffix}", output)
        wanted[f"j{number:03}"] = right[suffix, output]
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.reset()
    status, screen = batch.run()
    require(status in (0, 1), "gave", status, screen[-2000:])
    found, told = batch.found(), 0
    for number, (name, job_) in enumerate(jobs.items()):
        source, output = job_["yaml"][0].removeprefix("clip: "), job_["outputs"][0]
        if output in found:
            require(number in broken or digest(batch.path(output)) == wanted[name],
                    output, "is not what it is elsewhere")
            continue
        require(number in broken, source, "is whole and was not done:", screen[-2000:])
        require(re.search(rf"error: '(?:[^']*/)?{re.escape(source)}'", screen),
                "no error names", source, "in", screen[-2000:])
        told += 1
    require((status == 1) == (told > 0), "gave", status, "with", told, "refused")
    require(len(found) == 200 - told, "there are", len(found), "outputs")
    batch.require_no_temporaries()
    return told


def damaged(data, dice):
    """A byte changed, some bytes changed, or the end gone."""
    way = dice.randrange(4)
    if way == 0:
        return data[:dice.randrange(len(data))]
    places = [dice.randrange(len(data))] if way == 1 else dice.choices(range(len(data)), k=50)
    if way == 3:
        # Where headers are.
        places = [dice.randrange(min(len(data), 200)) for _ in range(8)]
    for place in places:
        data[place] = dice.randrange(256)
    return data


# ---- The door ----------------------------------------------------------------------------------

TORTURES = {
    "kill": (torture_kill, 300, 1.0),
    "disk": (torture_disk, 100, 1.0),
    "faults": (torture_faults, 0, 0.2),
    "order": (torture_order, 1, 0.2),
    "twice": (torture_twice, 100, 1.0),
    "broken": (torture_broken, 20, 0.5),
}


def main():
    parser = argparse.ArgumentParser(prog="torture.py", description=__doc__)
    parser.add_argument("name", choices=TORTURES)
    parser.add_argument("--avjob", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, help="0: each call that can fail, for `faults`")
    parser.add_argument("--isolate", dest="options", action="store_const", const=["--isolate"],
                        default=[], help="have each job in a process of its own")
    parser.add_argument("--seconds", type=float, help="how much sound each input has")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    torture, rounds, seconds = TORTURES[options.name]
    options.rounds = rounds if options.rounds is None else options.rounds
    options.seconds = seconds if options.seconds is None else options.seconds
    if options.name == "disk":
        enter_namespace()
    # Resolved, since strace and the kernel tell paths without links.
    folder = os.path.realpath(tempfile.mkdtemp(prefix="avjob-torture-"))
    try:
        torture(options, folder, random.Random(options.seed))
    except Fault as problem:
        sys.exit(f"{options.name}: {problem}\nseed {options.seed}; its folder is {folder}")
    shutil.rmtree(folder)


main()
