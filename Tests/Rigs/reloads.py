"""Edits of a job while it is played: after each, what is heard is the export of that version, sample by
sample, from the place on that belongs to the same moment of the same source. The player goes over by a
cross-fade of 10 ms, which is left out.

usage: reloads.py AVJOB CARD [--rounds N] [--seed N]

AVJOB is the command, CARD the plugin that Tests/Rigs/paced.c makes.
"""

import argparse
import atexit
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

RATE = 48000
FRAME = 8  # Bytes: two channels of float.
SPEED = 4  # Times as fast as a real card.
SLOT = 6  # Seconds of a source that belong to one piece.
# So near an end of a piece, in seconds of sound, the place may have been found in the piece beside it:
# what is on its way to the card, and the time of the switch.
SLACK = 0.6
# By so much the process may grow, in bytes, after the first 20 edits.
MOST_GROWTH = 40 << 20
# So many frames tell one place from all others: the sources are noise.
SIGN = 64
# A player goes over from one version to the next by a cross-fade of 10 ms, in frames.
FADE = 480


class Piece:
    """A part of a slot of a source."""

    def __init__(self, slot, start, end, gain):
        self.slot, self.start, self.end, self.gain = slot, start, end, gain

    def text(self):
        base = self.slot * SLOT * RATE
        clip = f"clip: noise.wav, from: {base + self.start} samples, to: {base + self.end} samples"
        return "{ " + clip + (f", gain: {self.gain} dB" if self.gain else "") + " }"


class Job:
    def __init__(self, dice):
        self.dice = dice
        self.free = list(range(40))
        dice.shuffle(self.free)
        self.pieces = [self.piece() for _ in range(12)]

    def piece(self):
        start = self.dice.randrange(0, RATE)
        end = self.dice.randrange(3 * RATE, SLOT * RATE)
        return Piece(self.free.pop(), start, end, self.dice.choice([0, 0, -3]))

    def frames(self):
        return sum(piece.end - piece.start for piece in self.pieces)

    def edit(self):
        """Changes something, and how long the whole is, by which the version is known on the screen."""
        before = self.frames()
        self.change()
        while abs(self.frames() - before) < RATE // 3:
            piece = self.dice.choice(self.pieces)
            piece.end = piece.start + self.dice.randrange(2 * RATE, 5 * RATE)

    def change(self):
        pieces, dice = self.pieces, self.dice
        place = dice.randrange(len(pieces))
        kind = dice.choice(["insert", "remove", "trim", "trim", "move", "gain"])
        if kind == "remove" and len(pieces) > 8:
            self.free.insert(0, pieces.pop(place).slot)
        elif kind == "trim":
            old = pieces[place]
            start = dice.randrange(0, RATE)
            pieces[place] = Piece(old.slot, start, dice.randrange(3 * RATE, SLOT * RATE), old.gain)
        elif kind == "move":
            pieces.insert((place + dice.randrange(1, len(pieces))) % len(pieces), pieces.pop(place))
        elif kind == "gain":
            old = pieces[place]
            pieces[place] = Piece(old.slot, old.start, old.end, old.gain - 1)
        elif self.free and len(pieces) < 16:
            pieces.insert(place, self.piece())
        else:
            return self.change()

    def text(self):
        items = ",\n".join("  " + piece.text() for piece in self.pieces)
        return f"concat: [\n{items} ]\noutput: {{ file: out.wav, wav: 32 bit float }}\n"

    def moments(self):
        """The slot, and the frame in it, with which each piece begins and ends."""
        return [(piece.slot, piece.start, piece.end) for piece in self.pieces]


def save(folder, text, dice):
    """Writes the job in one of the ways in which editors do."""
    path, way = folder / "job.yaml", dice.randrange(4)
    if way == 0:
        (folder / ".job.yaml.swp").write_text(text)
        os.replace(folder / ".job.yaml.swp", path)
    elif way == 1:
        with open(path, "w") as file:
            half = len(text) // 2
            file.write(text[:half])
            file.flush()
            time.sleep(dice.choice([0, 0.05]))
            file.write(text[half:])
    elif way == 2:
        os.replace(path, folder / "job.yaml~")
        path.write_text(text)
    else:
        path.unlink()
        path.write_text(text)


def data(path):
    """The samples of a WAV of floats."""
    wave = path.read_bytes()
    place = 12
    while wave[place:place + 4] != b"data":
        place += 8 + int.from_bytes(wave[place + 4:place + 8], "little")
    return wave[place + 8:place + 8 + int.from_bytes(wave[place + 4:place + 8], "little")]


def moment(version, frame):
    """Which slot sounds at a frame of a version, and which moment of it."""
    for slot, start, end in version:
        if frame < end - start:
            return slot, start + frame
        frame -= end - start
    return None


def common(a, at, b, start):
    """How many bytes two samples have in common from places on."""
    most, done = min(len(a) - at, len(b) - start), 0
    step = 1 << 16
    while done < most:
        size = min(step, most - done)
        if a[at + done:at + done + size] == b[start + done:start + done + size]:
            done += size
        elif step > FRAME:
            step = max(FRAME, step // 16 // FRAME * FRAME)
        else:
            break
    return done


def common_before(a, at, b, start):
    """How many bytes two samples have in common up to places."""
    most, done = min(at, start), 0
    step = 1 << 16
    while done < most:
        size = min(step, most - done)
        if a[at - done - size:at - done] == b[start - done - size:start - done]:
            done += size
        elif step > FRAME:
            step = max(FRAME, step // 16 // FRAME * FRAME)
        else:
            break
    return done


def find_next(heard, at, exports, number):
    """The versions behind one that have what is heard behind a cross-fade, each with the place, and with
    how much of what was heard just before stands before that: what was played for longest comes first."""
    fade = min(FADE * FRAME, len(heard) - at)
    sign = heard[at + fade:at + fade + SIGN * FRAME]
    found = []
    for other in range(number + 1, len(exports)):
        place = exports[other].find(sign)
        while place >= 0 and place % FRAME:
            place = exports[other].find(sign, place + 1)
        if place >= fade:
            before = place - fade or len(exports[other])  # The loop.
            found.append((other, place - fade, common_before(heard, at, exports[other], before)))
    return sorted(found, key=lambda it: -it[2])


def check(heard, exports, versions, times):
    """Holds what was heard to the exports, one version after the other: an edit elsewhere is not heard
    before the sound comes to it."""
    problems, number, at, start = [], 0, 0, 0
    while at < len(heard):
        export = exports[number]
        length = common(heard, at, export, start)
        at += length
        if at >= len(heard) - (FADE + SIGN) * FRAME:
            break
        if start + length == len(export):  # The loop.
            start = length = 0
            if common(heard, at, export, 0) >= SIGN * FRAME:
                continue
        # Another version, from here on at the latest; several may have these pieces.
        found = find_next(heard, at, exports, number)
        if not found:
            problems.append(f"frame {at // FRAME}: no export has what is heard after edit {number}")
            return problems, number
        old = moment(versions[number], (start + length) // FRAME)
        wrong = [faults(it, at, old, versions, number, times) for it in found]
        best = next((index for index, faulty in enumerate(wrong) if not faulty), 0)
        problems += wrong[best]
        number, place, _ = found[best]
        fade = min(FADE * FRAME, len(heard) - at)
        at, start = at + fade, place + fade
    return problems, number


def faults(found, at, old, versions, before, times):
    """What is wrong if a version is heard from a place on."""
    number, place, same = found
    problems, (saved, seen) = [], times[number]
    if at < saved:
        problems.append(f"edit {number} was heard before it was saved, at frame {at // FRAME}")
    if at - same > seen + 0.5 * SPEED * RATE * FRAME:
        problems.append(f"edit {number} was heard late, at frame {at // FRAME}")
    new = moment(versions[number], place // FRAME)
    if same < SIGN * FRAME and old and new:
        problems += jumps(old, new, versions[before], versions[number], number)
    return problems


def jumps(old, new, before, version, number):
    """Whether a moment of a source goes on at another one, although it is in a version."""
    pieces = [next((piece for piece in it if piece[0] == old[0]), None) for it in (before, version)]
    if pieces[1] is None:
        return []
    slot, first, end = pieces[1]
    wanted = min(max(old[1], first), end)
    near = any(min(wanted - piece[1], piece[2] - wanted) <= SLACK * RATE for piece in pieces)
    return [] if near or new == (slot, wanted) else [
        f"edit {number}: {old} of the source goes on as {new}, not at {wanted}"]


def facts(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return (int(re.search(r"VmRSS:\s*(\d+)", status)[1]) << 10,
            len(os.listdir(f"/proc/{process}/fd")))


def wait(condition, what, patience=30):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {patience} s for {what}")
        time.sleep(0.005)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("avjob")
    parser.add_argument("card")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="avjob-reloads-") as root:
        folder = pathlib.Path(root) / "jobs"
        folder.mkdir()
        heard, said, mistakes = (pathlib.Path(root) / name for name in ("heard", "out", "errors"))
        (pathlib.Path(root) / "asound.conf").write_text(
            f'pcm_type.avpaced {{ lib "{options.card}" }}\n'
            f'pcm.default {{ type avpaced speed {SPEED} stall yes heard "{heard}" }}\n')
        subprocess.run(
            ["sox", "-n", "-r", str(RATE), "-c", "2", "-e", "float", "-b", "32", folder / "noise.wav",
             "synth", str(40 * SLOT), "whitenoise", "gain", "-10"], check=True)
        job = Job(dice)
        texts, versions, times = [job.text()], [job.moments()], [(0, 0)]
        (folder / "job.yaml").write_text(texts[0])
        environment = dict(os.environ, ALSA_CONFIG_PATH=f"{root}/asound.conf", SWIFT_BACKTRACE="enable=no")
        with open(said, "w") as out, open(mistakes, "w") as errors:
            player = subprocess.Popen(
                [options.avjob, "preview", "job.yaml", "--follow", "--loop"], cwd=folder,
                env=environment, stdout=out, stderr=errors)
        atexit.register(player.kill)
        begun = lambda: re.findall(r"^job .*", said.read_text(), re.M)[-1:]
        size = lambda: heard.stat().st_size if heard.exists() else 0
        wait(lambda: begun() and size() > 0, "the first sound")
        early, wrong = None, 0
        for edit in range(1, options.rounds + 1):
            time.sleep(dice.uniform(0.05, 0.5))
            if dice.randrange(8) == 0:
                wrong += 1
                save(folder, job.text().replace("clip:", f"clipp{wrong}:", 1), dice)
                wait(lambda: f"clipp{wrong}" in mistakes.read_text(), "a mistake to be reported")
            before = begun()
            job.edit()
            texts.append(job.text())
            versions.append(job.moments())
            saved = size()
            save(folder, texts[-1], dice)
            wait(lambda: begun() != before, f"edit {edit} to be heard")
            times.append((saved, size()))
            if edit == min(20, options.rounds):
                early = facts(player.pid)
        time.sleep(0.5)
        late = facts(player.pid)
        player.terminate()
        player.wait()
        exports = []
        for text in texts:
            (folder / "job.yaml").write_text(text)
            subprocess.run([options.avjob, "run", "-q", "--force", "job.yaml"], cwd=folder, check=True)
            exports.append(data(folder / "out.wav"))
        problems, number = check(heard.read_bytes(), exports, versions, times)
        if late[0] - early[0] > MOST_GROWTH:
            problems.append(f"memory grew from {early[0]} to {late[0]} bytes")
        if late[1] > early[1] + 4:
            problems.append(f"descriptors grew from {early[1]} to {late[1]}")
        frames = heard.stat().st_size // FRAME
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"seed {options.seed}: {len(problems)} problems")
    print(f"{options.rounds} edits and {wrong} mistakes in {frames / RATE:.0f} s of sound: all of it is "
          f"the exports'; memory {early[0] >> 20} to {late[0] >> 20} MB, descriptors {early[1]} to "
          f"{late[1]}")


main()
