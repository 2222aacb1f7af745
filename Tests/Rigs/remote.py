"""Kills a command that fetches a medium from a server, and looks at what the cache promises."""

import glob
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from types import SimpleNamespace

from batch import Fault, PATIENCE, is_killed, require, started, tool, wait_for
from faulty import RIGS, build_faults, fault, logged

# Bytes of a block of the cache.
BLOCK = 16 << 10
# Bytes a second that the server sends, so that a kill strikes while bytes arrive.
RATE = 8_000_000
FAULTS = f"rate={RATE}", f"rate={RATE}+drop=300000", f"rate={RATE}+noranges"


class Server:
    """The server with faults, of one folder; ends with this process, which holds its input."""

    def __init__(self, folder):
        script = os.path.join(RIGS, os.pardir, "Servers", "fault_server.py")
        self.process = subprocess.Popen(
            [sys.executable, script, folder, "--until-eof"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        started.append(self.process)
        self.host = f"localhost:{self.process.stdout.readline().strip()}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path):
        return self.opener.open(f"http://{self.host}/{path}", timeout=PATIENCE).read()

    def requests(self):
        return json.loads(self.get("_counts"))


class Clips:
    """A folder with a medium, a cache, and the output of `avjob clip`."""

    def __init__(self, options, folder):
        self.avjob, self.folder = options.avjob, folder
        self.cache, self.output = os.path.join(folder, "cache"), os.path.join(folder, "out.wav")
        media = os.path.join(folder, "media")
        os.makedirs(media)
        self.medium = os.path.join(media, "noise.wav")
        tool("sox", "-R", "-r", "44100", "-n", "-c", "2", "-b", "16", self.medium, "synth",
             str(options.seconds), "brownnoise", "vol", "0.3")
        self.size = os.path.getsize(self.medium)
        self.server = Server(media)
        self.require_success("clip", "-q", self.medium, "-o", self.output)
        self.expected = self.bytes()

    def bytes(self):
        with open(self.output, "rb") as file:
            return file.read()

    def url(self, faults, number):
        return f"http://{self.server.host}/{faults}/noise.wav?round={number}"

    def start(self, *words, environment=None):
        # Below the folder that is struck, so that names relative to an open folder count.
        process = subprocess.Popen(
            [self.avjob, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "AVJOB_CACHE": self.cache, "no_proxy": "*", **(environment or {})})
        started[:] = [other for other in started if other.returncode is None] + [process]
        return process

    def require_success(self, *words):
        process = self.start(*words)
        screen = process.communicate(timeout=PATIENCE)[0]
        require(process.returncode == 0, *words, "gave", process.returncode, screen)

    def clip(self, url, **environment):
        return self.start("clip", "-q", "--force", "--allow-host", self.server.host, url,
                          "-o", self.output, **environment)

    def reset(self):
        for path in glob.glob(os.path.join(self.folder, "*.tmp")) + [self.output]:
            if os.path.exists(path):
                os.remove(path)
        shutil.rmtree(self.cache, ignore_errors=True)

    def promised(self):
        """Which blocks the map of the address's entity names; None without one."""
        for path in glob.glob(os.path.join(self.cache, "*", "facts")):
            with open(path) as file:
                facts = dict(line.rstrip("\n").split(" ", 1) for line in file if " " in line)
            entity = os.path.join(os.path.dirname(path), facts["generation"])
            with open(entity + ".map", "rb") as file:
                digests = file.read()
            with open(self.medium, "rb") as medium, open(entity + ".data", "rb") as data:
                whole, kept = medium.read(), data.read()
            blocks = [number for number in range(len(digests) // 8)
                      if any(digests[8 * number:8 * number + 8])]
            for number in blocks:
                part = slice(number * BLOCK, (number + 1) * BLOCK)
                require(kept[part] == whole[part], "block", number, "is promised and is wrong")
            return blocks
        return None


def torture_remote(options, folder, dice):
    clips = Clips(options, os.path.join(folder, "remote"))
    library = build_faults(folder)
    root = SimpleNamespace(folder=clips.folder)
    log = os.path.join(folder, "calls")
    calls, seconds = {}, {}
    for faults in FAULTS:
        clips.reset()
        begin = time.monotonic()
        status = wait_for(clips.clip(clips.url(faults, "first")))
        require(status == 0, faults, "gave", status)
        seconds[faults] = time.monotonic() - begin
        clips.reset()
        process = clips.clip(clips.url(faults, "calls"), environment=fault(library, root, log=log))
        require(wait_for(process) == 0, "with its calls counted, the clip failed")
        calls[faults] = len(logged(log))
        os.remove(log)
    killed, partly, kept = 0, 0, 0
    for number in range(options.rounds):
        faults = FAULTS[number % len(FAULTS)]
        words = None
        if number % 2 == 0:
            words = f"any:{dice.randint(1, calls[faults])}:{dice.choice(['kill', 'killed'])}"
        moment = dice.random() * seconds[faults]
        try:
            blocks, has_struck = kill_once(clips, library, root, faults, number, words, moment)
        except Fault as problem:
            how = words or f"after {moment:.3f} s"
            raise Fault(f"round {number}, {faults}, killed {how}: {problem}")
        killed += has_struck
        partly += 0 < blocks * BLOCK < clips.size
        kept += blocks
    require(partly or options.rounds < 10, "none of", options.rounds, "kills left a part")
    print(f"remote: {options.rounds} rounds: {killed} kills struck, {partly} of them left a part; "
          f"{kept} blocks were promised, all of them right, and none was fetched again")


def kill_once(clips, library, root, faults, number, words, moment):
    """How many blocks the kill left, and whether it struck."""
    clips.reset()
    url = clips.url(faults, number)
    process = clips.clip(url, environment=fault(library, root, words) if words else None)
    if not words:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.kill()
    status = wait_for(process)
    require(status == 0 or is_killed(status), "gave", status, process.stdout.read())
    blocks = clips.promised()
    clips.require_success("cache", "verify")
    clips.server.get("_reset")
    process = clips.clip(url)
    require(wait_for(process) == 0, "the next run gave", process.returncode, process.stdout.read())
    require(clips.bytes() == clips.expected, "the next run's output is wrong")
    require_least(clips, faults, blocks)
    shutil.rmtree(os.path.join(clips.folder, ".avjob"), ignore_errors=True)
    clips.require_success("clip", "-q", "--force", "--offline", url, "-o", clips.output)
    require(clips.bytes() == clips.expected, "with --offline, the output is wrong")
    clips.require_success("cache", "verify")
    return len(blocks or []), is_killed(status)


def require_least(clips, faults, blocks):
    """The next run has asked for what was missing, and for no more."""
    here = sum(min(BLOCK, clips.size - number * BLOCK) for number in blocks or [])
    requests = [record for record in clips.server.requests()
                if urllib.parse.urlsplit(record["path"]).path.endswith("noise.wav")]
    fetched = sum(record["bytes"] for record in requests)
    # Without ranges, the whole is all that can be asked for.
    most = clips.size if "noranges" in faults and here < clips.size else clips.size - here
    require(fetched <= most, "of", clips.size, "bytes", here, "were there, and", fetched,
            "were fetched")
