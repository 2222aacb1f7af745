"""Whether a preview survives what happens on a desktop, and leaves nothing behind."""

import random
import signal
import statistics
import threading
import time

import remote
from hearing import Capture, Listening, now
from latency import await_silence, await_sound
from media import seconds_at
from players import LEFT, RIGHT, AVJob, Terminal, descriptors, resident
from servers import Desk, Trouble

KEYS = (
    " ", " ", RIGHT, LEFT, "\x1b[A", "\x1b[B", "\x1b[H", "g7s\r", "g1:05\r", "gx\x1b", "g0:99\r", "n",
    "p", "+", "-", ",", ".", "<", ">", "1", "2", "9", "s1", "s2", "[", "]", "\\", "c", "?", "\x7f")
# Keys that may have silenced a preview; each undoes itself.
SILENCERS = (" ", "1", "2", "s1", "s2")
A_SECOND = 20
# A preview may be so many seconds late after its server is back, and this far from its place.
LATEST, FARTHEST = 10, 1.0
# Kilobytes by which memory may grow while playing, and between the halves of all keys: the heap is at
# its height after some hundred entries that were opened anew.
GROWTH, GROWTH_BY_KEYS = 4096, 12288


def is_heard(capture, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if capture.is_loud():
            return True
        time.sleep(0.02)
    return False




def storm(desk, terminal, dice, count, steer):
    """Presses random keys, and has the server die and the sink vanish meanwhile; returns what."""
    done = {"keys": 0, "commands": 0, "killed": 0, "removed": 0}
    begin, ends = time.monotonic(), threading.Event()

    def press():
        for number in range(count):
            if ends.is_set() or terminal.process.poll() is not None:
                return
            time.sleep(max(0, begin + number / A_SECOND - time.monotonic()))
            # Over both ways at once, as long as there are two.
            if steer and number % 2:
                done["commands"] += steer(dice)
            else:
                terminal.type(dice.choice(KEYS))
                done["keys"] += 1

    presses = threading.Thread(target=press, daemon=True)
    presses.start()
    misfortune = random.Random(dice.random())
    try:
        # The main thread starts servers: they end with the thread that starts them.
        while presses.is_alive():
            presses.join(misfortune.uniform(0.5, 4))
            if misfortune.random() < 0.5:
                desk.kill_server()
                done["killed"] += 1
                time.sleep(misfortune.uniform(0, 3))
                desk.start_server()
            else:
                desk.remove_sink()
                done["removed"] += 1
                time.sleep(misfortune.uniform(0, 3))
                desk.add_sink()
    finally:
        ends.set()
    presses.join()
    return done


def bring_back(terminal, capture):
    """Presses what may have silenced the preview until it is heard; returns whether it is."""
    terminal.type("\x1b")
    time.sleep(0.3)
    terminal.type("\\" + "+" * 40)
    for turn in range(1, 2 ** len(SILENCERS) + 1):
        if is_heard(capture, LATEST if turn == 1 else 1):
            return True
        # A Gray code: all combinations, one key each.
        terminal.type(SILENCERS[((turn & -turn).bit_length() - 1) % len(SILENCERS)])
    return is_heard(capture, 2)


def state(process):
    """Open files of each kind, media aside: entries differ in these."""
    return {kind: count for kind, count in descriptors(process).items()
            if not kind.endswith((".wav", ".yaml"))}


def try_keys(options):
    failures = []
    for server in options.server:
        dice = random.Random(options.seed)
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            player = AVJob(options.avjob)
            paths = [options.media[name] for name in ("job", "place", "other")]
            terminal = Terminal(player.play(paths, loop=True), desk.environment, options.folder)
            try:
                failures += [f"{server}: {it}" for it in
                             keys_on(desk, capture, terminal, dice, options)]
            finally:
                terminal.close()
    return failures


def keys_on(desk, capture, terminal, dice, options):
    process = terminal.process
    await_sound(capture, process)
    time.sleep(3)
    steer = remote.steering(desk)
    before, sizes = state(process), [resident(process)]
    for half in (1, 2):
        done = storm(desk, terminal, dice, (options.rounds or 1000) // 2, steer)
        if process.poll() is not None:
            yield (f"it ended with {process.returncode} in half {half}; its screen ends with "
                   f"{terminal.screen[-300:]!r}")
            return
        if not bring_back(terminal, capture):
            yield f"nothing is heard after half {half}; screen: {terminal.screen[-400:]!r}"
        time.sleep(2)
        sizes.append(resident(process))
        after = state(process)
        print(f"{desk.server}: half {half}: {done}; RSS {sizes[-1] / 1024:.1f} MB "
              f"(at first {sizes[0] / 1024:.1f}); open files {sum(before.values())}, then "
              f"{sum(after.values())}{'' if steer else '; no MPRIS name on the bus'}", flush=True)
    grown = {kind: (before.get(kind, 0), count) for kind, count in after.items()
             if count > before.get(kind, 0) + 1}
    if grown:
        yield f"open files grew: {grown}"
    if sizes[2] - sizes[1] > GROWTH_BY_KEYS:
        yield f"memory grew by {sizes[2] - sizes[1]} kB in the second half"
    pressed = now()
    status = terminal.end("\x1bq")
    print(f"{desk.server}: q ended it after {(now() - pressed) / 1e6:.0f} ms with {status}")
    if status not in (0, 1):
        yield f"q ended it with {status}"
    if not terminal.is_restored():
        yield "the terminal was not restored"


# ---- The server dies ---------------------------------------------------------------------------


def place_heard(capture, start, end):
    """The place of the medium in the middle of a stretch of sound, in seconds; None in silence."""
    listening = Listening(*capture.heard(start, end))
    pilot = listening.tones["pilot"][1]
    if not len(pilot) or (pilot > 0.05).mean() < 0.9:
        return None
    return float(seconds_at(statistics.median(listening.place()[pilot > 0.05])))


def try_devices(options):
    failures = []
    for server in options.server:
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            failures += [f"{server}: {it}" for it in deaths_on(desk, capture, options)]
            failures += [f"{server}: {it}" for it in ends_on(desk, capture, options)]
    return failures


def deaths_on(desk, capture, options):
    dice = random.Random(options.seed)
    terminal = Terminal(AVJob(options.avjob).play([options.media["place"]], start=5),
                        desk.environment, options.folder)
    late, moved = [], []
    try:
        for turn in range(options.rounds or 10):
            await_sound(capture, terminal.process)
            time.sleep(1.2)
            killed = now()
            place = place_heard(capture, killed - 300_000_000, killed - 200_000_000)
            desk.kill_server()
            time.sleep(dice.uniform(0.1, 2.5))
            desk.start_server()
            back = now()
            if not is_heard(capture, LATEST):
                yield f"nothing is heard {LATEST} s after death {turn + 1}"
                return
            heard = now()
            late.append((heard - back) / 1e9)
            time.sleep(0.5)
            found = place_heard(capture, heard + 100_000_000, heard + 300_000_000)
            # The machine may break the sound just there; of most deaths the place is found.
            if place is not None and found is not None:
                moved.append(found - 0.2 - (place + 0.25))
        status = terminal.end()
        if status != 0 or not terminal.is_restored():
            yield f"q ended it with {status}; terminal restored: {terminal.is_restored()}"
    finally:
        terminal.close()
    if len(moved) <= len(late) // 2:
        yield f"the sound was broken around {len(late) - len(moved)} of {len(late)} deaths"
    if not moved:
        return
    print(f"{desk.server}: {len(late)} deaths: sound {statistics.median(late):.2f} s after the server "
          f"is back (worst {max(late):.2f}), at the place {statistics.median(moved):+.2f} s (from "
          f"{min(moved):+.2f} to {max(moved):+.2f})", flush=True)
    if max(map(abs, moved)) > FARTHEST:
        yield f"the place was not kept: off by {max(moved, key=abs):.2f} s"


def ends_on(desk, capture, options):
    """The terminal after each kind of end, with the server alive and dead."""
    for what in ("q", "SIGTERM", "SIGHUP", "q without a server", "SIGTERM without a server"):
        await_silence(capture)
        terminal = Terminal(AVJob(options.avjob).play([options.media["place"]]), desk.environment,
                            options.folder)
        try:
            await_sound(capture, terminal.process)
            time.sleep(1)
            if terminal.is_restored():
                yield f"{what}: the terminal was not changed at all"
            if "without" in what:
                desk.kill_server()
                time.sleep(0.5)
            pressed = now()
            if what.startswith("SIG"):
                terminal.process.send_signal(getattr(signal, what.split()[0]))
            status = terminal.end("q" if what.startswith("q") else "")
            took = (now() - pressed) / 1e9
            print(f"{desk.server}: {what}: status {status} after {took:.2f} s, terminal "
                  f"{'restored' if terminal.is_restored() else 'NOT restored'}", flush=True)
            if status is None or not terminal.is_restored():
                yield f"{what}: status {status}, restored: {terminal.is_restored()}"
        finally:
            terminal.close()
        if "without" in what:
            desk.start_server()
            time.sleep(0.5)


# ---- Memory ------------------------------------------------------------------------------------


def watch_memory(options):
    failures = []
    seconds = options.seconds or 60
    for server in options.server:
        with Desk(server) as desk, Capture(desk, options.capture) as capture:
            terminal = Terminal(AVJob(options.avjob).play(options.media, loop=True),
                                desk.environment, options.folder)
            try:
                await_sound(capture, terminal.process)
                # What is there once: the first passes through the sound, and its beginning again.
                time.sleep(min(300, seconds / 4))
                sizes = []
                for _ in range(61):
                    sizes.append(resident(terminal.process))
                    time.sleep(seconds / 60)
                    if terminal.process.poll() is not None:
                        raise Trouble(f"avjob ended with {terminal.process.returncode}")
                terminal.end()
            finally:
                terminal.close()
        growth = statistics.median(sizes[-15:]) - statistics.median(sizes[:15])
        print(f"{server}: {seconds:g} s: RSS {sizes[0] / 1024:.1f} MB at first, "
              f"{max(sizes) / 1024:.1f} at most, {sizes[-1] / 1024:.1f} at last; growth of medians "
              f"{growth:+.0f} kB", flush=True)
        if growth > GROWTH:
            failures.append(f"{server}: memory grew by {growth} kB in {seconds:g} s")
    return failures
