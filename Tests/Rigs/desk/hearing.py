"""Hears what a desk's sink plays, and when, by the machine's monotonic clock.

A recorder's blocks arrive late by whatever the machine does meanwhile, but never early, and the sink
plays by the same clock. So the earliest arrival of a while, as samples count, gives the times of
samples. What is left is the same for all that is heard: the delays of the sink and the
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
        """The sound between two times: the time of each of its samples, and the samples, two columns."""
        deadline = time.monotonic() + patience
        start, end = start - self.early, end - self.early
        while True:
            with self.lock:
                blocks = [block for block in self.blocks
                          if start - 100_000_000 < block[0] < end + 500_000_000]
            if blocks and blocks[-1][0] > end + 200_000_000:
                break
            if time.monotonic() > deadline:
                return numpy.zeros(0), numpy.zeros((0, 2), numpy.float32)
            time.sleep(0.02)
        sound = numpy.frombuffer(b"".join(block for _, _, block in blocks), numpy.float32)
        sound = sound.reshape(-1, 2)
        times = self.times(blocks)
        wanted = (times >= start) & (times < end)
        return times[wanted] + self.early, sound[wanted]

    @staticmethod
    def times(blocks):
        """The times of all samples of blocks. A sink that is late may leave out samples, but makes none
        up: so it is the arrivals from then on, for a while, that bound a sample's time."""
        ends = numpy.array([count for _, count, _ in blocks]) * 1e9 / RATE
        arrivals = numpy.array([at for at, _, _ in blocks], numpy.float64)
        lengths = [len(block) // FRAME for _, _, block in blocks]
        offsets = arrivals - ends
        bounds, last = numpy.empty(len(blocks)), 0
        for index in range(len(blocks)):
            while last < len(blocks) and arrivals[last] <= arrivals[index] + 150e6:
                last += 1
            bounds[index] = offsets[index:last].min()
        first = blocks[0][1] - lengths[0]
        return numpy.repeat(bounds, lengths) + (first + numpy.arange(sum(lengths))) * 1e9 / RATE

    def is_loud(self, seconds=0.3, level=0.001):
        """Whether anything but silence was heard in the last while."""
        with self.lock:
            recent = [block for at, _, block in self.blocks
                      if at > now() - int(seconds * 1_000_000_000)]
        sound = numpy.frombuffer(b"".join(recent), numpy.float32)
        return bool(sound.size and numpy.abs(sound).max() > level)


class Listening:
    """The tones of a stretch of sound, over time."""

    def __init__(self, times, sound):
        count = max(0, (len(sound) - WINDOW) // HOP + 1)
        # The end of each window: what is new begins to tell there.
        self.times = times[numpy.arange(count) * HOP + WINDOW - 1]
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


def bend(times, places, slope, key, backwards):
    """When the sound leaves the rate 1, or backwards, when it is there; None if it does not.

    At the rate 1 places rise by `slope` a second of samples, exactly; time stretchers waver, or jump
    now and then. A start is the first place that is 4 ms off; an end is the time that fits most
    samples, each of which is exact or not by the 150 ms behind it. Breaks of the sound are neither."""
    span = 150 * RATE // 1000 // HOP
    if len(places) < 4 * span:
        return None
    is_bent = numpy.abs((places[span:] - places[:-span]) / (slope * span * HOP / RATE) - 1) > 0.02
    is_later = times[:-span] > key
    # After a fast return only what is before the key is bent.
    if is_bent[is_later != backwards].mean() < 0.1:
        return None
    if backwards:
        is_bent, times = is_bent[is_later], times[:-span][is_later]
        # What is bent from a time on, and what is exact before it.
        wrong = is_bent[::-1].cumsum()[::-1] + numpy.cumsum(~is_bent) - ~is_bent
        return float(times[wrong.argmin()])
    exact = places - slope * numpy.arange(len(places)) * HOP / RATE
    wrong = numpy.abs(exact - numpy.median(exact[times < key])) > 0.004 * slope
    found = numpy.flatnonzero(lasting(wrong) & (times > key))
    return float(times[found[0]]) if found.size else None
