"""Joins of real music and speech, as jobs: sound that goes on is not to be flagged, and sound with an
injected fault is.

usage: joins.py [--rounds N] [--seed N]
"""

import argparse
import array
import glob
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import wave

FIXTURES = pathlib.Path(__file__).resolve().parent.parent.parent / "Fixtures"
RATE = 44100
SECONDS = 5
# At most so many clean joins in 100 are flagged, and at least so many with a fault.
MOST_FALSE, LEAST_FOUND = 1, 80


def media():
    """Music and speech: the fixtures, and what packages of Debian bring."""
    places = [
        FIXTURES / "feelings.ogg", FIXTURES / "librivox-sonnet.mp3", FIXTURES / "voice-8k.wav",
        *glob.glob("/usr/share/games/fretsonfire/data/songs/*/*/*.ogg"),
        *glob.glob("/usr/share/asterisk/moh/*.wav"),
    ]
    spoken = sorted(glob.glob("/usr/share/asterisk/sounds/en_US_f_Allison/*.wav"), key=os.path.getsize)
    for place in places + spoken[-20:]:
        sound = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", place, "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
            capture_output=True, check=True).stdout
        samples = array.array("h", sound)
        if len(samples) > (2 * SECONDS + 1) * RATE:
            yield samples


def clipped(value):
    return max(-32768, min(32767, round(value)))


FAULTS = {
    "none": lambda sound: sound,
    "click": lambda sound: array.array("h", [clipped(sound[0] + 16384), *sound[1:]]),
    "gap": lambda sound: array.array("h", [0] * 20) + sound[20:],
    "louder": lambda sound: array.array("h", [clipped(4 * sample) for sample in sound]),
    "softer": lambda sound: array.array("h", [clipped(sample / 4) for sample in sound]),
}


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(samples.tobytes())


def flagged(folder, fault, sounds, dice, rounds):
    """Of how many joins a report tells flaws."""
    jobs = ["jobs:"]
    for number in range(rounds):
        sound = dice.choice(sounds)
        place = dice.randrange(SECONDS * RATE, len(sound) - SECONDS * RATE)
        before = sound[place - SECONDS * RATE:place]
        behind = sound[place:place + SECONDS * RATE]
        if fault == "louder":
            # Louder, and yet not over full scale.
            before, behind = (array.array("h", [sample // 4 for sample in part]) for part in (before, behind))
        write(folder / f"{number}a.wav", before)
        write(folder / f"{number}b.wav", FAULTS[fault](behind))
        jobs.append(f"  j{number}: {{ concat: [{number}a.wav, {number}b.wav], output: o/{number}.flac }}")
    (folder / "jobs.yaml").write_text("\n".join(jobs) + "\n")
    subprocess.run(
        [os.environ["AVJOB_BINARY"], "run", "--quiet", "--report", "run.json", "jobs.yaml"],
        cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report = json.loads((folder / "run.json").read_text())
    joins = [join for job in report["jobs"] for output in job["outputs"] for join in output["joins"]]
    assert len(joins) == rounds, len(joins)
    return sum(1 for join in joins if join["flaws"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options, _ = parser.parse_known_args()
    dice = random.Random(options.seed)
    sounds = list(media())
    print(f"joins: {len(sounds)} pieces of music and speech, seed {options.seed}")
    isWell = True
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            count = flagged(pathlib.Path(folder), fault, sounds, dice, options.rounds)
        share = 100 * count / options.rounds
        isRight = share <= MOST_FALSE if fault == "none" else share >= LEAST_FOUND
        isWell = isWell and isRight
        print(f"  {fault:7} {count} of {options.rounds} flagged{'' if isRight else ': WRONG'}", flush=True)
    sys.exit(0 if isWell else 1)


main()
