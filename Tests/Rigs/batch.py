"""A batch of jobs in a folder, the outputs that it must give, and what is left of it."""

import array
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

OLD = b"what was there before\n"
# Where commands are slow, they get more time, here as in other tests.
SLOWNESS = int(os.environ.get("AVJOB_PATIENCE") or 60) / 60
# Seconds after which a run hangs: a hundred times what it takes.
PATIENCE = 300 * SLOWNESS
# Runs that have perhaps not ended.
started = []


class Fault(Exception):
    """Something that must not be."""


def require(condition, *words):
    if not condition:
        raise Fault(" ".join(str(word) for word in words))


def end_all():
    """Kills what was started and has not ended."""
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


def wait_for(process):
    """Its status; it must end by itself."""
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        raise Fault(f"did not end within {PATIENCE:.0f} s")


class Batch:
    """A folder with media, `job.yaml`, and all outputs in `out`."""

    def __init__(self, avjob, folder, jobs, options=()):
        self.avjob, self.folder, self.jobs, self.options = avjob, folder, jobs, list(options)
        self.file = self.path("job.yaml")
        self.expected = {}
        self.kept = set()
        self.seconds = 0
        self.peak = 0
        os.makedirs(folder, exist_ok=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    # ---- Running ----

    def write_job_file(self):
        """Writes the job file; keeps the line of each job's `clip:`."""
        lines, self.lines = ["jobs:"], {}
        for name, job in self.jobs.items():
            lines.append(f"  {name}:")
            self.lines[name] = len(lines) + 1
            lines += [f"    {line}" for line in job["yaml"]]
        with open(self.file, "w") as file:
            file.write("".join(line + "\n" for line in lines))

    def start(self, *options, environment=None, said=subprocess.PIPE):
        command = [self.avjob, "run", *self.options, *options, self.file]
        process = subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=said, env={**os.environ, **(environment or {})}, text=True)
        started[:] = [other for other in started if other.returncode is None] + [process]
        return process

    def run(self, *options, environment=None, seconds=PATIENCE):
        """Status and screen of a run to its end; `peak` is then the most memory that it had."""
        process = self.start(*options, environment=environment)
        is_late = threading.Event()

        def end():
            is_late.set()
            process.kill()

        alarm = threading.Timer(seconds, end)
        alarm.start()
        try:
            screen = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            alarm.cancel()
            process.stderr.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.peak = usage.ru_maxrss * 1024
        require(not is_late.is_set(), f"the run did not end within {seconds:.0f} s")
        return process.returncode, screen

    def measure(self):
        """How long an undisturbed run takes now; there must be none of its outputs yet."""
        start = time.monotonic()
        status, screen = self.run()
        self.seconds = time.monotonic() - start
        require(status == 0, "the undisturbed run gave", status, screen)

    def prepare(self):
        """The undisturbed run: which bytes are right, and how long it takes."""
        self.measure()
        found = self.found()
        wanted = {output for job in self.jobs.values() for output in job["outputs"]}
        require(set(found) == wanted, "undisturbed, there are", sorted(found))
        self.expected = {output: digest(self.path(output)) for output in wanted}
        self.kept = set(self.names_kept())

    def finish(self, *options):
        """One more run, undisturbed, after which all is as it should be."""
        status, screen = self.run(*options)
        require(status == 0, "the next run gave", status, screen)
        self.require_complete()

    def reset(self, old=False):
        """As if nothing had ever run; with older outputs in place where `old`."""
        for name in "out", ".avjob":
            shutil.rmtree(self.path(name), ignore_errors=True)
        if old:
            for output in self.expected:
                os.makedirs(os.path.dirname(self.path(output)), exist_ok=True)
                with open(self.path(output), "wb") as file:
                    file.write(OLD)

    # ---- Looking ----

    def found(self):
        """What lies in `out`, relative to the batch's folder."""
        return [
            os.path.relpath(os.path.join(folder, name), self.folder)
            for folder, _, names in os.walk(self.path("out")) for name in names]

    def names_kept(self):
        """What lies in `.avjob`, relative to it."""
        return [
            os.path.relpath(os.path.join(folder, name), self.path(".avjob"))
            for folder, _, names in os.walk(self.path(".avjob")) for name in names]

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

    def receipted(self):
        """The outputs that receipts speak of."""
        outputs = set()
        folder = self.path(".avjob", "receipts")
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.endswith(".json"):
                with open(os.path.join(folder, name)) as file:
                    try:
                        outputs.update(entry["path"] for entry in json.load(file)["files"])
                    except ValueError:
                        raise Fault(f"the receipt {name} is torn")
        return outputs

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

    def redone(self, marks):
        """The jobs that were done again of those whose outputs were all there, as `marks` has it."""
        now = self.marks()
        return [
            name for name, job in self.jobs.items()
            if all(output in marks for output in job["outputs"])
            and any(marks[output] != now.get(output) for output in job["outputs"])]

    def require_no_temporaries(self):
        for name in self.found():
            require(not is_temporary(name), name, "is left over")

    def require_complete(self):
        missing = set(self.expected) - self.whole()
        require(not missing, "not in place:", sorted(missing))
        self.require_no_temporaries()
        kept = set(self.names_kept())
        require(kept == self.kept, "in .avjob there are",
                sorted(kept ^ self.kept)[:5], "too many or too few")

    def decode(self):
        """Has ffmpeg decode the undisturbed outputs, and compares them with what went in."""
        for job in self.jobs.values():
            clip = self.path(job["clip"])
            source = decoded(clip)
            for output in job["outputs"]:
                if not output.endswith((".psc", ".json")):
                    is_exact = all(name.endswith(EXACT) for name in (clip, output))
                    compare(source, decoded(self.path(output)), is_exact, output)


# What of sound stays as it is.
EXACT = ".wav", ".flac", ".aiff", ".caf"


def is_temporary(name):
    return re.search(r"\.avjob-[0-9a-f-]+\.tmp$", name) is not None


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def decoded(path):
    """The samples that ffmpeg finds, which must find no fault."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "s16le", "-ar", "44100", "-"],
        stdin=subprocess.DEVNULL, capture_output=True)
    require(result.returncode == 0 and not result.stderr, "ffmpeg says of", path, result.stderr)
    return result.stdout


def compare(source, output, is_exact, name):
    """Whether the one is made of the other: the same samples, or nearly so."""
    # Of an M4A ffmpeg does not leave out what its last packet of AAC has too much.
    excess = range(4 * 1024 if name.endswith(".m4a") else 1)
    require(len(source) > 1000 and len(output) - len(source) in excess,
            name, "has", len(output), "bytes of sound, its source", len(source))
    if is_exact:
        require(source == output, name, "is not its source")
        return
    a, b = array.array("h", source), array.array("h", output[:len(source)])
    product = lambda x, y: sum(p * q for p, q in zip(x, y))
    likeness = product(a, b) / (product(a, a) * product(b, b)) ** 0.5
    require(likeness > 0.8, name, "is like its source by", likeness, "only")


# ---- What batches are made of ------------------------------------------------------------------


def tool(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def make_media(folder, seconds, rate=44100):
    """A noise in three formats that are read in three ways."""
    os.makedirs(folder, exist_ok=True)
    noise = os.path.join(folder, "noise.wav")
    # Brown noise has its energy where codecs keep it.
    tool("sox", "-R", "-r", str(rate), "-n", "-c", "2", "-b", "16", noise, "synth", str(seconds),
         "brownnoise", "vol", "0.3")
    tool("flac", "-s", "-f", noise, "-o", os.path.join(folder, "noise.flac"))
    tool("lame", "--quiet", "-V5", noise, os.path.join(folder, "noise.mp3"))


def job(name, clip, *outputs):
    """A job with outputs; of an MP3 also the files of chapters. `json` is a record of the job."""
    lines, paths = [f"clip: {clip}", "output:"], []
    for suffix in outputs:
        path = f"out/{name}.{suffix}"
        paths.append(path)
        if suffix == "mp3":
            lines.append(f"  - {{ file: {path}, chapters: [file, podlove, podcasting2] }}")
            paths += [f"out/{name}.psc", f"out/{name}.chapters.json"]
        elif suffix == "json":
            lines.append(f"  - {{ file: {path}, json: sidecar }}")
        else:
            lines.append(f"  - {path}")
    if "mp3" in outputs:
        lines.append("chapters: { 0s: Intro, 50ms: News }")
    return {"yaml": lines, "clip": clip, "outputs": paths}


def twenty_jobs(options, folder):
    """All formats, several outputs a job, records, folders that have to be made."""
    make_media(folder, options.seconds)
    kinds = (
        ["wav", "json"], ["flac"], ["mp3"], ["m4a"], ["ogg"], ["opus"],
        ["mp3", "flac", "wav", "json"], ["aiff", "caf"])
    clips = "noise.wav", "noise.flac", "noise.mp3"
    jobs = {}
    for number in range(20):
        name = f"{'deep/' * (number % 3)}{number:02}"
        jobs[f"j{number:02}"] = job(name, clips[number % 3], *kinds[number % len(kinds)])
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.prepare()
    return batch


def few_jobs(options, folder, rate):
    make_media(folder, options.seconds, rate)
    jobs = {
        "j00": job("deep/00", "noise.wav", "mp3", "flac", "json"),
        "j01": job("01", "noise.flac", "m4a"),
        "j02": job("02", "noise.wav", "wav"),
    }
    batch = Batch(options.avjob, folder, jobs, options.options)
    batch.write_job_file()
    batch.prepare()
    return batch


def announced(screen):
    """Jobs that a run has said to have done."""
    return set(re.findall(r"^(j\d+): done\b", screen, re.MULTILINE))


def is_killed(status):
    return status == -signal.SIGKILL
