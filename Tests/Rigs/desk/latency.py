"""How soon a player obeys, and what it costs."""

import functools
import os
import random
import statistics
import sys
import time

import hearing
import remote
from fill import calibrate
from hearing import Capture, Listening, bend, now
from media import SLOPE
from players import AVJob, AVJobRemote, MPV, MPVRemote, REMOTE, Terminal, processor_seconds
from servers import Desk, Trouble

EFFECTS = ("start", "start of a job", "pause", "resume", "seek", "volume", "mute", "next", "rate", "pan")
ROUNDS = 20
# Seconds after a key in which its effect must be heard. A rate is a slope, which takes longer to see.
HORIZON = 0.9
RATE_HORIZON = 1.5
MILLION = 1e6


def players(options, desk):
    """avjob, and mpv by the same device of ALSA and by its own output for this server."""
    native = "pulse" if desk.server != "pipewire" else "pipewire"
    known = [AVJob(options.avjob), MPV("alsa"), MPV(native)]
    if options.command == "latency":
        known += [AVJobRemote(options.avjob), MPVRemote(desk.files["mpris.so"])]
    return [player for player in known if not options.player or player.name in options.player]


def wait_until(when):
    time.sleep(max(0, (when - now()) / 1e9))


def listen(capture, key, horizon=HORIZON):
    return Listening(*capture.heard(key - 300_000_000, key + int(horizon * 1e9)))


def await_sound(capture, process, patience=15):
    deadline = time.monotonic() + patience
    while not capture.is_loud():
        if process.poll() is not None:
            raise Trouble(f"{process.args} ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise Trouble(f"{process.args}: nothing is heard")
        time.sleep(0.02)


def await_silence(capture):
    deadline = time.monotonic() + 5
    while capture.is_loud() and time.monotonic() < deadline:
        time.sleep(0.02)


def starts(desk, capture, player, options, what):
    """When a process is heard, and when it was started, in nanoseconds, again and again."""
    effect = "start" if isinstance(what, list) else "start of a job"
    for _ in range(options.rounds or ROUNDS):
        await_silence(capture)
        key = now()
        arguments = player.play(what)
        terminal = Terminal(arguments, desk.environment, options.folder)
        await_sound(capture, terminal.process)
        time.sleep(0.2)
        listening = Listening(*capture.heard(key - 300_000_000, now()))
        terminal.end()
        terminal.close()
        yield effect, listening.step(listening.tones["pilot"][1], key), key


def quantity(effect, listening):
    """What an effect changes."""
    tones = listening.tones
    if effect in ("pause", "volume"):
        return tones["pilot"][1]
    if effect == "mute":
        return tones["place"][0]
    if effect == "pan":
        return tones["pilot"][0] / (tones["pilot"][0] + tones["pilot"][1] + 1e-6)
    if effect == "next":
        return tones["place"][0] / (tones["place"][0] + tones["other"][0] + 1e-6)
    return listening.place()


def keys(desk, capture, player, options, effect):
    """When a key is heard, and when it was pressed, in nanoseconds, again and again."""
    rounds = options.rounds or ROUNDS
    dice = random.Random(options.seed)
    # Pause and resume take turns.
    count = rounds * (2 if effect == "pause" else 1)
    horizon = RATE_HORIZON if effect == "rate" else HORIZON
    what = options.media
    if effect == "next":
        what = [options.media["place"], options.media["other"]] * (count // 2 + 1)
    terminal = Terminal(player.play(what, start=20), desk.environment, options.folder)
    try:
        await_sound(capture, terminal.process)
        # What could wait for the first sound comes behind it.
        time.sleep(2)
        press = terminal.type
        if player.keys is REMOTE and not (press := remote.commands(desk)):
            print(f"{desk.server}: {player.name} has no name on the bus", file=sys.stderr)
            return
        for turn in range(count):
            time.sleep(0.1 + 0.1 * dice.random())
            if effect == "rate":
                time.sleep(0.5)
            pressed = player.keys[effect]
            key = now()
            press(pressed[turn % len(pressed)])
            wait_until(key + int(horizon * 1e9))
            listening = listen(capture, key, horizon)
            if effect == "rate":
                found = bend(listening.times, listening.place(), SLOPE, key, turn % 2 == 1)
            else:
                found = listening.step(quantity(effect, listening), key,
                                       slack=0.4 if effect == "seek" else 0.2)
            name = effect if effect != "pause" or turn % 2 == 0 else "resume"
            yield name, found, key
    finally:
        terminal.end()
        terminal.close()


def measure(desk, capture, player, options):
    """Lists of milliseconds by effect, with None where nothing was heard; each is shown when it is
    there."""
    wanted = options.effect or EFFECTS
    trials = {
        "start": lambda: starts(desk, capture, player, options, [options.media["place"]]),
        "start of a job": lambda: starts(desk, capture, player, options, options.media)}
    # A start is the same, however it is steered; a job is avjob's.
    if player.keys is REMOTE:
        trials = {}
    elif player.name != "avjob":
        del trials["start of a job"]
    for effect in player.keys:
        trials[effect] = functools.partial(keys, desk, capture, player, options, effect)
    figures = {}
    for name, trial in trials.items():
        if name not in wanted and not (name == "pause" and "resume" in wanted):
            continue
        await_silence(capture)
        found = {}
        for effect, heard, key in trial():
            found.setdefault(effect, []).append(heard and (heard - key) / MILLION)
        for effect, times in found.items():
            show(desk.server, player.name, effect, times, options)
        figures.update(found)
    return figures


def show(server, player, effect, figures, options):
    found = [figure for figure in figures if figure is not None]
    missing = len(figures) - len(found)
    median, worst = (statistics.median(found), max(found)) if found else (0, 0)
    if options.lines:
        name = effect.replace(" ", "-")
        print(server, player.replace(" ", "-"), name, f"{median:.1f} {worst:.1f} {missing}")
    else:
        lost = f"   {missing} of {len(figures)} not heard" if missing else ""
        print(f"{server:15}{player:15}{effect:16}{median:9.1f} ms{worst:9.1f} ms{lost}")
    print(end="", flush=True)


def measure_latency(options):
    if not options.lines:
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores; the recorder asks for "
              f"{options.capture:g} ms; a sample's time is when the sink takes it")
        print(f"{'server':15}{'player':15}{'effect':16}{'median':>12}{'worst':>12}", flush=True)
    failures = []
    for server in options.server:
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            calibrate(desk, capture)
            for player in players(options, desk):
                figures = measure(desk, capture, player, options)
                failures += [
                    f"{server}, {player.name}: {effect} was not heard {found.count(None)} times"
                    for effect, found in figures.items()
                    if player.name == "avjob" and found.count(None) > len(found) // 10]
    return failures


# ---- What playing costs ------------------------------------------------------------------------

MUSIC = os.path.join(os.path.dirname(hearing.__file__), *[os.pardir] * 3, "Fixtures", "feelings.ogg")


def measure_cost(options):
    """Processor time in per cent of a core, the screen drawn."""
    seconds, failures = options.seconds or 60, []
    for server in options.server:
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            for player in players(options, desk):
                for rate in (1, 1.5):
                    await_silence(capture)
                    arguments = player.play([os.path.abspath(MUSIC)], rate=rate, loop=True)
                    terminal = Terminal(arguments, desk.environment, options.folder)
                    await_sound(capture, terminal.process)
                    time.sleep(2)
                    before, began = processor_seconds(terminal.process), time.monotonic()
                    time.sleep(seconds)
                    used = processor_seconds(terminal.process) - before
                    share = 100 * used / (time.monotonic() - began)
                    if not capture.is_loud(1):
                        failures.append(f"{server}, {player.name}: silent at last, at rate {rate}")
                    terminal.end()
                    terminal.close()
                    if options.lines:
                        print(server, player.name.replace(" ", "-"), f"rate-{rate} {share:.2f}",
                              flush=True)
                    else:
                        print(f"{server:15}{player.name:15}rate {rate:<11}{share:7.2f} % of a core",
                              flush=True)
    return failures
