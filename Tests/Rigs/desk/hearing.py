"""Hears what a desk's sink plays, and when, by the machine's monotonic clock.

A recorder's blocks arrive late by whatever the machine does meanwhile, but never early, and the sink
plays by the same clock. So the earliest arrival of a while, as samples count, gives the times of all
samples of it. What is left is the same for all that is heard: the delays of the sink and the
recorder, which `fill.calibrate` takes away.
"""

import os
import signal
import subprocess
import threading
import time

import numpy

from servers import RATE, end_with_parent

FRAME = 8
# Windows of a whole number of periods of each tone, so that no tone is heard for another.
WINDOW, HOP = 48, 6
TONES = {"place": 1000, "other": 2000, "pilot": 3000}
# What is kept, in seconds.
MEMORY = 90


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Capture:
    """Records a desk's sink for as long as it is open, also across the server's death."""

    def __init__(self, desk, milliseconds=5):
        self.desk = desk
        self.command = desk.recorder(milliseconds)
        self.lock = threading.Lock()
        # Each with the time of its arrival, the number of frames up to its end, and its bytes.
        self.blocks = []
        self.ends = False
        self.restarts = -1
        # Nanoseconds by which times are early, until `fill.calibrate` finds them.
        self.early = 0

    def __enter__(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.recorder.send_signal(signal.SIGKILL)
        self.thread.join()

    def run(self):
        while not self.ends:
            self.recorder = subprocess.Popen(
                self.command, env=self.desk.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=end_with_parent)
            with self.lock:
                self.blocks = []
            self.restarts += 1
            self.read(self.recorder.stdout.fileno())
            self.recorder.kill()
            self.recorder.wait()
            self.recorder.stdout.close()
            time.sleep(0.05)

    def read(self, pipe):
        count, rest = 0, b""
        while not self.ends and (block := os.read(pipe, 1 << 16)):
            arrived = now()
            block = rest + block
            whole = len(block) // FRAME * FRAME
            block, rest = block[:whole], block[whole:]
            count += whole // FRAME
            with self.lock:
                self.blocks.append((arrived, count, block))
                while self.blocks[0][0] < arrived - MEMORY * 1_000_000_000:
                    self.blocks.pop(0)

    def heard(self, start, end, patience=5):
        """The sound between two times: the time of its first sample, and its samples, two columns."""
        deadline = time.monotonic() + patience
        start, end = start - self.early, end - self.early
        while True:
            with self.lock:
                blocks = [block for block in self.blocks
                          if start - 500_000_000 < block[0] < end + 500_000_000]
            if blocks and blocks[-1][0] > end + 100_000_000:
                break
            if time.monotonic() > deadline:
                return start + self.early, numpy.zeros((0, 2), numpy.float32)
            time.sleep(0.02)
        offset = min(at - count * 1_000_000_000 // RATE for at, count, _ in blocks)
        first = blocks[0][1] - len(blocks[0][2]) // FRAME
        sound = numpy.frombuffer(b"".join(block for _, _, block in blocks), numpy.float32)
        sound = sound.reshape(-1, 2)
        begins = offset + first * 1_000_000_000 // RATE
        skipped = max(0, (start - begins) * RATE // 1_000_000_000)
        wanted = (end - start) * RATE // 1_000_000_000
        return begins + self.early + skipped * 1_000_000_000 // RATE, sound[skipped:skipped + wanted]

    def is_loud(self, seconds=0.3, level=0.001):
        """Whether anything but silence was heard in the last while."""
        with self.lock:
            recent = [block for at, _, block in self.blocks
                      if at > now() - int(seconds * 1_000_000_000)]
        sound = numpy.frombuffer(b"".join(recent), numpy.float32)
        return bool(sound.size and numpy.abs(sound).max() > level)


class Listening:
    """The tones of a stretch of sound, over time."""

    def __init__(self, start, sound):
        count = max(0, (len(sound) - WINDOW) // HOP + 1)
        # The end of each window: what is new begins to tell there.
        self.times = start + (numpy.arange(count) * HOP + WINDOW) * 1e9 / RATE
        self.tones = {
            name: numpy.stack([self.level(sound[:, side], tone, count) for side in (0, 1)])
            for name, tone in TONES.items()}

    @staticmethod
    def level(samples, tone, count):
        wave = numpy.exp(-2j * numpy.pi * tone / RATE * numpy.arange(len(samples)))
        sums = numpy.concatenate([[0], numpy.cumsum(samples.astype(numpy.float64) * wave)])
        starts = numpy.arange(count) * HOP
        return numpy.abs(sums[starts + WINDOW] - sums[starts]) * 2 / WINDOW

    def place(self):
        """The level of the place beside the pilot, whatever the volume; in silence, what it was."""
        pilot, place = self.tones["pilot"][0], self.tones["place"][0]
        is_heard = pilot > 0.5 * numpy.median(pilot[pilot > 1e-4]) if (pilot > 1e-4).any() else pilot > 1
        last = numpy.maximum.accumulate(numpy.where(is_heard, numpy.arange(len(pilot)), 0))
        return (place / numpy.maximum(pilot, 1e-6))[last]

    def step(self, values, key, slack=0.2, steady=0.15, least=0.02):
        """When a quantity left what it was before a key, on its way to what it is in the end.

        Returns the time in nanoseconds, or None if it did not change, relative to its size, by
        `least`."""
        times = self.times
        before = values[(times > key - steady * 1e9) & (times <= key)]
        after = values[-int(steady * RATE / HOP):]
        if not before.size or not after.size:
            return None
        old, new = numpy.median(before), numpy.median(after)
        if abs(new - old) < least * max(abs(old), abs(new), 1e-3):
            return None
        moved = (values - old) / (new - old) > slack
        found = numpy.flatnonzero(lasting(moved) & (times > key))
        return float(times[found[0]]) if found.size else None


def lasting(is_so):
    """Where something is so for the next three milliseconds, so that no click is taken for it."""
    run = 3 * RATE // 1000 // HOP
    return numpy.convolve(is_so, numpy.ones(run), "full")[run - 1:] >= run


def bend(times, places, key, backwards):
    """When the sound leaves the rate 1, at which places are exact, or backwards, when it is there.

    Time stretchers waver, so what is exact is fitted, and where it begins to be wrong, by 4 ms of the
    medium, is the time. None if the rate does not change."""
    side = times > times[-1] - 0.25e9 if backwards else times < key
    if side.sum() < 100:
        return None
    seconds = (times - key) / 1e9
    line = numpy.polyfit(seconds[side], places[side], 1)
    wrong = numpy.abs(places - numpy.polyval(line, seconds)) > 0.004 * abs(line[0])
    found = numpy.flatnonzero(lasting(wrong) & (times > key))
    if found.size < RATE // HOP // 20:
        return None
    return float(times[found[-1 if backwards else 0]])
