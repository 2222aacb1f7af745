"""How little sound a device may hold, and what it does when it is emptied, by alsa-lib alone.

The experiments run in a process of their own, with a desk's environment (`fill.py EXPERIMENT …`), and
print JSON; what was heard of them is measured here.
"""

import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

import numpy

from hearing import HOP, TONES, Capture, Listening, now
from servers import RATE, Desk, Trouble, end_with_parent

FILLS = (3, 5, 8, 10, 15, 20, 30, 40, 60, 100)
SIZES = ((10, 200), (5, 200), (10, 60), (5, 40))
TONE, LEVEL = TONES["pilot"], 0.1
EPIPE, EAGAIN = 32, 11
STATES = ("open", "setup", "prepared", "running", "xrun", "draining", "paused", "suspended", "gone")


class Device:
    """A playback device of alsa-lib, float32 stereo, not blocking."""

    def __init__(self, period, buffer, start, name="default"):
        self.lib = ctypes.CDLL("libasound.so.2")
        self.lib.snd_strerror.restype = ctypes.c_char_p
        for call in ("snd_pcm_writei", "snd_pcm_avail"):
            getattr(self.lib, call).restype = ctypes.c_long
        self.pcm = ctypes.c_void_p()
        self.check(self.lib.snd_pcm_open(ctypes.byref(self.pcm), name.encode(), 0, 1))
        wanted = ctypes.c_void_p()
        self.lib.snd_pcm_hw_params_malloc(ctypes.byref(wanted))
        zero = ctypes.byref(ctypes.c_int(0))
        number = ctypes.c_uint(RATE)
        self.period, self.buffer = ctypes.c_ulong(frames(period)), ctypes.c_ulong(frames(buffer))
        self.check(self.lib.snd_pcm_hw_params_any(self.pcm, wanted))
        # Read and write, interleaved; float of this machine's order.
        self.check(self.lib.snd_pcm_hw_params_set_access(self.pcm, wanted, 3))
        self.check(self.lib.snd_pcm_hw_params_set_format(self.pcm, wanted, 14))
        self.check(self.lib.snd_pcm_hw_params_set_channels(self.pcm, wanted, 2))
        self.check(self.lib.snd_pcm_hw_params_set_rate_near(
            self.pcm, wanted, ctypes.byref(number), zero))
        self.check(self.lib.snd_pcm_hw_params_set_period_size_near(
            self.pcm, wanted, ctypes.byref(self.period), zero))
        self.check(self.lib.snd_pcm_hw_params_set_buffer_size_near(
            self.pcm, wanted, ctypes.byref(self.buffer)))
        self.check(self.lib.snd_pcm_hw_params(self.pcm, wanted))
        self.lib.snd_pcm_hw_params_get_period_size(wanted, ctypes.byref(self.period), zero)
        self.lib.snd_pcm_hw_params_get_buffer_size(wanted, ctypes.byref(self.buffer))
        self.period, self.buffer = self.period.value, self.buffer.value
        behaviour = ctypes.c_void_p()
        self.lib.snd_pcm_sw_params_malloc(ctypes.byref(behaviour))
        self.check(self.lib.snd_pcm_sw_params_current(self.pcm, behaviour))
        self.check(self.lib.snd_pcm_sw_params_set_start_threshold(
            self.pcm, behaviour, ctypes.c_ulong(max(1, min(frames(start), self.buffer)))))
        self.check(self.lib.snd_pcm_sw_params_set_stop_threshold(
            self.pcm, behaviour, ctypes.c_ulong(self.buffer)))
        self.check(self.lib.snd_pcm_sw_params(self.pcm, behaviour))

    def check(self, status):
        if status < 0:
            raise Trouble(f"alsa-lib: {self.lib.snd_strerror(int(status)).decode()}")
        return status

    def write(self, samples):
        """Frames taken, or a negative error."""
        data = numpy.ascontiguousarray(samples, dtype="<f4").tobytes()
        return self.lib.snd_pcm_writei(self.pcm, data, ctypes.c_ulong(len(data) // 8))

    def held(self):
        """Frames in the buffer, or a negative error."""
        room = self.lib.snd_pcm_avail(self.pcm)
        return room if room < 0 else self.buffer - room

    def delay(self):
        """Frames until what is written now is heard."""
        found = ctypes.c_long()
        status = self.lib.snd_pcm_delay(self.pcm, ctypes.byref(found))
        return found.value if status >= 0 else status

    def state(self):
        return STATES[self.lib.snd_pcm_state(self.pcm)]

    def wait(self, milliseconds):
        return self.lib.snd_pcm_wait(self.pcm, milliseconds)

    def prepare(self):
        return self.check(self.lib.snd_pcm_prepare(self.pcm))

    def drop(self):
        return self.check(self.lib.snd_pcm_drop(self.pcm))

    def close(self):
        self.lib.snd_pcm_close(self.pcm)


def frames(milliseconds):
    return round(milliseconds * RATE / 1000)


def sine(first, count, level=LEVEL):
    wave = level * numpy.sin(2 * numpy.pi * TONE / RATE * (first + numpy.arange(count)))
    return numpy.stack([wave, wave], axis=1)


# ---- Experiments -------------------------------------------------------------------------------


class Keeper:
    """Keeps a device at so many milliseconds of sound."""

    def __init__(self, device, fill):
        self.device, self.fill = device, frames(fill)
        self.position = self.xruns = self.lowest = 0
        self.level = LEVEL
        self.delays, self.helds = [], []
        # The longest time between two looks, in seconds: how late the machine made this process.
        self.latest = 0

    def top_up(self):
        held = self.device.held()
        if held < 0:
            # What alsa-lib reports: an xrun.
            self.xruns += 1
            self.device.prepare()
            held = 0
        self.helds.append(held)
        lacking = self.fill - held
        if lacking > 0:
            taken = self.device.write(sine(self.position, lacking, self.level))
            if taken > 0:
                self.position += taken
            elif taken == -EPIPE:
                self.xruns += 1
                self.device.prepare()
        self.delays.append(self.device.delay())

    def keep(self, seconds, pause=0.002):
        before = time.monotonic()
        end = before + seconds
        while before < end:
            self.top_up()
            time.sleep(pause)
            self.latest = max(self.latest, time.monotonic() - before)
            before = time.monotonic()


def hold(period, buffer, fill, seconds):
    """Plays a tone that never stops; its breaks are heard."""
    device = Device(period, buffer, fill)
    keeper = Keeper(device, fill)
    keeper.keep(0.5)
    keeper.xruns, keeper.latest, keeper.delays, keeper.helds, began = 0, 0, [], [], now()
    keeper.keep(seconds)
    device.close()
    return {
        "began": began, "ended": now(), "xruns": keeper.xruns, "latest": keeper.latest * 1000,
        "delay": statistics.median(keeper.delays) * 1000 / RATE,
        "held": statistics.median(keeper.helds) * 1000 / RATE,
        "lowest": min(keeper.helds) * 1000 / RATE, "period": device.period * 1000 / RATE,
        "buffer": device.buffer * 1000 / RATE}


def mark(period, buffer, fill, count):
    """Times at which alsa-lib says that a tone begins, out of silence."""
    device = Device(period, buffer, fill)
    keeper = Keeper(device, fill)
    expected = []
    for _ in range(count):
        keeper.level = 0
        keeper.keep(0.3)
        keeper.level = LEVEL
        # The next write is of the tone: it is heard behind what was written before.
        while True:
            delay, before = device.delay(), now()
            position = keeper.position
            keeper.top_up()
            if keeper.position != position:
                break
            time.sleep(0.001)
        expected.append(before + delay * 1_000_000_000 // RATE)
        keeper.keep(0.3)
    device.close()
    return expected


def empty(period, buffer, fill, count):
    """Drops a tone again and again, and begins anew at once: times, and what alsa-lib says."""
    device = Device(period, buffer, fill)
    keeper = Keeper(device, fill)
    trials = []
    for _ in range(count):
        keeper.level = LEVEL
        keeper.keep(0.4)
        before = now()
        device.drop()
        dropped = now()
        held, state = device.delay(), device.state()
        device.prepare()
        prepared = now()
        after = device.delay()
        time.sleep(0.3)
        again = now()
        keeper.top_up()
        written = now()
        first = device.delay()
        keeper.keep(0.3)
        trials.append({
            "before": before, "drop": (dropped - before) / 1e6, "prepare": (prepared - dropped) / 1e6,
            "delay dropped": held, "delay prepared": after, "state": state, "again": again,
            "write": (written - again) / 1e6, "delay first": first * 1000 / RATE})
    device.close()
    return trials


EXPERIMENTS = {"hold": hold, "mark": mark, "empty": empty}


def run(desk, experiment, *figures):
    process = subprocess.run(
        [sys.executable, "-B", os.path.abspath(__file__), experiment, *map(str, figures)],
        env=desk.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        preexec_fn=end_with_parent)
    if process.returncode:
        raise Trouble(f"fill.py {experiment}: {process.stderr}")
    return json.loads(process.stdout)


# ---- What was heard of them --------------------------------------------------------------------


def calibrate(desk, capture, count=20):
    """Sets the capture's times so that a sample's time is when the sink takes it: nothing is heard of a
    device's end before that, and of many ends one is heard at once."""
    found = []
    for trial in run(desk, "empty", 10, 200, 100, count):
        listening = Listening(*capture.heard(trial["before"] - 200_000_000, trial["before"] + 200_000_000))
        key = trial["before"] - 50_000_000
        if (silent := listening.step(listening.tones["pilot"][0], key, steady=0.1)) is not None:
            found.append(trial["before"] - silent)
    if len(found) < count / 2:
        raise Trouble(f"calibrate: {len(found)} of {count} ends were heard")
    # A silence long before the others is a break of the sound.
    median = statistics.median(found)
    capture.early += int(max(one for one in found if one < median + 15e6))


def claims(desk, capture, count=20):
    """Milliseconds from the time at which the sink takes a sample until it is heard, by what alsa-lib
    says when it is written; and the spread."""
    found = []
    for expected in run(desk, "mark", 10, 200, 60, count):
        times, sound = capture.heard(expected - 200_000_000, expected + 200_000_000)
        loud = numpy.flatnonzero(numpy.abs(sound).max(axis=1) > LEVEL / 20) if len(sound) else []
        if len(loud):
            found.append((expected - times[loud[0]]) / 1e6)
    median = statistics.median(found)
    return median, statistics.median(abs(one - median) for one in found)


def breaks(capture, start, end):
    """How often a steady tone broke, and how many milliseconds were not whole."""
    listening = Listening(*capture.heard(start, end))
    level = listening.tones["pilot"][0]
    if not len(level):
        raise Trouble("nothing was recorded")
    is_broken = numpy.abs(level / LEVEL - 1) > 0.05
    count = int((numpy.diff(is_broken.astype(int)) == 1).sum())
    return count, float(is_broken.sum() * HOP * 1000 / RATE)


def measure_fill(options):
    seconds = options.seconds or 10
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores; {seconds:g} s each")
    for server in options.server:
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            time.sleep(0.5)
            calibrate(desk, capture)
            later, spread = claims(desk, capture)
            print(f"{server}: alsa-lib's delay means {later:.1f} ms after the sink takes a sample, ± "
                  f"{spread:.1f} ms")
            print(f"  {'asked':>12}{'given':>14}{'fill':>8}{'held':>8}{'least':>8}{'delay':>9}"
                  f"{'latest':>8}{'xruns':>8}{'breaks':>8}{'broken':>10}   (ms)")
            for period, buffer in SIZES:
                for fill in FILLS:
                    if fill > buffer:
                        continue
                    it = run(desk, "hold", period, buffer, fill, seconds)
                    count, lost = breaks(capture, it["began"] + 100_000_000, it["ended"] - 300_000_000)
                    asked = f"{period:g}/{buffer:g}"
                    given = f"{it['period']:.1f}/{it['buffer']:.0f}"
                    print(f"  {asked:>12}{given:>14}{fill:8g}{it['held']:8.1f}{it['lowest']:8.1f}"
                          f"{it['delay']:9.1f}{it['latest']:8.1f}{it['xruns']:8}{count:8}{lost:10.1f}", flush=True)
            show_drops(desk, capture)
    return []


def show_drops(desk, capture):
    for fill in (20, 60, 150):
        silent, heard, trials = [], [], run(desk, "empty", 10, 200, fill, 10)
        for trial in trials:
            for key, length, into in (("before", 0.25, silent), ("again", 0.25, heard)):
                listening = Listening(*capture.heard(
                    trial[key] - 300_000_000, trial[key] + int(length * 1e9)))
                found = listening.step(listening.tones["pilot"][0], trial[key], steady=0.05)
                if found:
                    into.append((found - trial[key]) / 1e6)

        def median(name):
            return statistics.median(trial[name] for trial in trials)

        def of(values):
            return f"{statistics.median(values):.1f} (worst {max(values):.1f})" if values else "never"

        print(f"  drop at a fill of {fill} ms: the call {median('drop'):.2f} ms, prepare "
              f"{median('prepare'):.2f} ms, then {trials[0]['state']}, delay {trials[0]['delay dropped']} "
              f"and {trials[0]['delay prepared']} frames; silent after {of(silent)} ms; the first write "
              f"{median('write'):.2f} ms, delay {median('delay first'):.1f} ms, heard after "
              f"{of(heard)} ms", flush=True)


if __name__ == "__main__":
    arguments = [float(text) for text in sys.argv[2:]]
    arguments[3:] = [int(arguments[3])] if sys.argv[1] != "hold" else arguments[3:]
    json.dump(EXPERIMENTS[sys.argv[1]](*arguments), sys.stdout)
