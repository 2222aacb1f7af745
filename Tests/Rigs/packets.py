"""Random cuts of Opus and Vorbis, and joins of Opus, whose packets are copied.

The codecs' own decoders must find the lengths that the job asks for, and make of copied packets the
samples of the source: of a cut all of them, of a join those that are not near it.
"""

import array
import math
import os
import statistics

from batch import Fault
from copies import MUSIC, Rig

# Files of which a cut is the source's, sample for sample, and how they are made.
VORBIS = {f"v{number}.ogg": words for number, words in enumerate([
    "oggenc -Q -q 5", "oggenc -Q -q -1", "oggenc -Q -q 9", "oggenc -Q -q 3 --downmix",
    "oggenc -Q -q 2 --resample 11025", "oggenc -Q -b 64 --resample 22050 --downmix"])}
OPUS = {f"o{number}.opus": words for number, words in enumerate([
    "opusenc --quiet --bitrate 96", "opusenc --quiet --bitrate 64", "opusenc --quiet --hard-cbr",
    "opusenc --quiet --framesize 40", "opusenc --quiet --framesize 60",
    "opusenc --quiet --framesize 60 --bitrate 160"])}
# Frames of the grid of joins.
GRID = 960
# Frames behind a join until a decoder has forgotten it, and before it that may be encoded anew.
BEHIND, BEFORE = 60_000, 10 * GRID


class Sound:
    """A file, and what its codec's own decoder makes of it: interleaved, as bytes."""

    def __init__(self, rig, path):
        self.path, self.codec = path, "vorbis" if path.endswith("ogg") else "opus"
        facts = rig.output(["ffprobe", "-v", "error", "-show_entries", "stream=channels", "-of",
                            "csv=p=0", path]).decode()
        self.channels = int(facts.split()[0].strip(","))
        self.bytes = decode(rig, path)
        # Bytes of all channels' samples at one time.
        self.size = self.channels * (2 if self.codec == "vorbis" else 4)
        self.length = len(self.bytes) // self.size

    def slice(self, start, end):
        return self.bytes[start * self.size:end * self.size]


def decode(rig, path):
    if path.endswith("ogg"):
        rig.output(["oggdec", "-Q", "-R", "-o", "o.raw", path])
    else:
        rig.output(["opusdec", "--quiet", "--float", "--rate", "48000", path, "o.wav"])
        rig.output(["sox", "o.wav", "-t", "f32", "o.raw"])
    with open(os.path.join(rig.folder, "o.raw"), "rb") as file:
        return file.read()


def encodes(rig, kinds):
    for path, words in kinds.items():
        output = ["-o", path] if words.startswith("oggenc") else [path]
        rig.output([*words.split(), "m.wav", *output])
    return [Sound(rig, path) for path in kinds]


def require(is_so, words):
    if not is_so:
        raise Fault(words)


def cut(rig, sounds, dice):
    sound = dice.choice(sounds)
    start = dice.randrange(sound.length - 8192)
    end = dice.choice([sound.length, dice.randrange(start + 4097, sound.length)])
    path = "cut" + os.path.splitext(sound.path)[1]
    rig.output([rig.avjob, "clip", sound.path, "--from", f"{start} samples", "--to",
                f"{end} samples", "-o", path, f"--{sound.codec}", "copy", "--force", "--quiet"])
    heard, wanted = decode(rig, path), sound.slice(start, end)
    is_same = heard == wanted if sound.codec == "vorbis" else are_alike(heard, wanted)
    require(is_same, f"{sound.path} from {start} to {end} is not the slice")


def are_alike(one, two):
    """Whether sounds of floats are the same; decoders of Opus may round samples otherwise for long."""
    return len(one) == len(two) and all(
        abs(one - two) <= 1e-7 for one, two in zip(array.array("f", one), array.array("f", two)))


def worst(one, two, channels):
    """The largest error of a frame, in decibels of the loudest sound in it and beside it."""
    size = GRID * channels
    places = range(0, len(two) - size + 1, size)
    powers = [sum(sample * sample for sample in two[place:place + size]) for place in places]
    errors = [sum((sample - other) ** 2 for sample, other in
                  zip(one[place:place + size], two[place:place + size])) for place in places]
    return max(
        10 * math.log10(max(error, 1e-12) / max(1e-6 * size, *powers[max(0, number - 1):number + 2]))
        for number, error in enumerate(errors))


def join(rig, sounds, dice):
    """Two clips on one grid; gives the worst error near the join, in decibels."""
    first, second = (dice.choice(sounds) for _ in range(2))
    clips = []
    for sound in first, second:
        count = dice.randrange(60, 200)
        start = dice.randrange(sound.length // GRID - count)
        clips.append((sound, start * GRID, (start + count) * GRID))
    job = "concat:\n" + "".join(
        f"  - {{ clip: {sound.path}, from: {start} samples, to: {end} samples }}\n"
        for sound, start, end in clips)
    rig.run(job + "output: { file: join.opus, opus: copy }\n")
    heard = decode(rig, "join.opus")
    wanted = b"".join(sound.slice(start, end) for sound, start, end in clips)
    require(len(heard) == len(wanted), f"a join is {len(heard)} long, not {len(wanted)}: {job}")
    place = clips[0][2] - clips[0][1]
    near, far = max(0, place - BEFORE) * first.size, (place + BEHIND) * first.size
    for part in slice(0, near), slice(far, None):
        require(are_alike(heard[part], wanted[part]), f"a join differs beside its seam: {job}")
    return worst(array.array("f", heard[near:far]), array.array("f", wanted[near:far]),
                 first.channels)


def torture_packets(options, folder, dice):
    rig = Rig(options.avjob, folder)
    rig.output(["ffmpeg", "-v", "error", "-i", MUSIC, "-ss", "3", "-ar", "44100", "m.wav"])
    opus, vorbis = (encodes(rig, kinds) for kinds in (OPUS, VORBIS))
    for sounds, name in (vorbis, "Vorbis"), (opus, "Opus"):
        for _ in range(options.rounds):
            cut(rig, sounds, dice)
        print(f"packets: {options.rounds} cuts of {len(sounds)} files of {name} are exact", flush=True)
    errors = [join(rig, opus, dice) for _ in range(options.rounds)]
    print(f"packets: {len(errors)} joins of Opus are exact beside their seams; worst frames: median "
          f"{statistics.median(errors):.1f} dB, worst {max(errors):.1f} dB", flush=True)
