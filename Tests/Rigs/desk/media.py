"""Sound in which each effect is seen at once, and each place is recognised.

On the left is a tone whose level rises all the time: it is the place. On both sides is a higher and
steady one, the pilot, by which volume, pan and mute are seen. Media of the second kind have another
tone for the place.
"""

import pathlib
import struct

import numpy

from hearing import TONES
from servers import RATE

SECONDS = 120
# Levels of the place at both ends, and of the pilot.
LOWEST, HIGHEST, PILOT = 0.05, 0.75, 0.1
# How a place beside the pilot rises in a second.
SLOPE = (HIGHEST - LOWEST) / SECONDS / PILOT


def write(path, sound):
    """A WAV of float32, whose header is 44 bytes."""
    data = sound.astype("<f4").tobytes()
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 2, RATE, RATE * 8, 8,
        32, b"data", len(data))
    pathlib.Path(path).write_bytes(head + data)


def seconds_at(ratio):
    """The place in seconds for a level of the place beside the pilot."""
    return (ratio * PILOT - LOWEST) / (HIGHEST - LOWEST) * SECONDS


def make(folder):
    """Media, and the job of two tracks that is their sum; returns paths by name."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    frames = numpy.arange(SECONDS * RATE)
    rising = numpy.linspace(LOWEST, HIGHEST, len(frames))
    nothing = numpy.zeros(len(frames))

    def tone(name):
        return numpy.sin(2 * numpy.pi * TONES[name] / RATE * frames)

    pilot = PILOT * tone("pilot")
    place, other = rising * tone("place"), rising * tone("other")
    media = {
        "place": (place + pilot, pilot), "other": (other + pilot, pilot),
        "rising": (place, nothing), "pilot": (pilot, pilot)}
    paths = {}
    for name, sides in media.items():
        paths[name] = str(folder / f"{name}.wav")
        write(paths[name], numpy.stack(sides, axis=1))
    job = folder / "desk.yaml"
    job.write_text("tracks: { rising: rising.wav, pilot: pilot.wav }\noutput: out/desk.wav\n")
    return {**paths, "job": str(job)}
