"""Outputs that many encoders make, of ten kinds of sound: the same bytes on one core and on all, the
length that other decoders find, cuts that are exact, places where players find what they seek.
"""

import array
import os

from batch import Fault, require
from copies import MUSIC, Rig

# Longer than a chunk of any codec and what makes it worth an encoder of its own, of mono even.
FRAMES = 10_000_000
FIXTURES = os.path.dirname(MUSIC)
# Name, channels, rate, and what ffmpeg makes it of.
SOUNDS = [
    ("music", 2, 44100, ["-stream_loop", "-1", "-i", MUSIC]),
    ("studio", 2, 48000, ["-stream_loop", "-1", "-ss", "5", "-i", MUSIC]),
    ("fine", 2, 96000, ["-stream_loop", "-1", "-ss", "9", "-i", MUSIC]),
    ("speech", 1, 22050, ["-stream_loop", "-1", "-i", f"{FIXTURES}/librivox-sonnet.mp3"]),
    ("telephone", 1, 8000, ["-stream_loop", "-1", "-i", f"{FIXTURES}/voice-8k.wav"]),
    ("noise", 2, 44100, ["-f", "lavfi", "-i", "anoisesrc=seed=1:amplitude=0.5:color=white"]),
    ("silence", 2, 44100, ["-f", "lavfi", "-i", "anullsrc"]),
    ("sweep", 1, 48000, ["-f", "lavfi", "-i", "aevalsrc=0.5*sin(40*t*t*PI)"]),
    ("bursts", 2, 44100, ["-f", "lavfi", "-i",
                          "aevalsrc=random(0)*gt(sin(9*t)\\,0.8)|random(1)*gt(sin(7*t)\\,0.9)"]),
    ("surround", 6, 48000, ["-stream_loop", "-1", "-i", MUSIC]),
]
# Extension, settings, the program beside ffmpeg that decodes it, and the channels it may have.
SETTINGS = [
    ("flac", "flac: 16 bit", "flac", 6), ("flac", "flac: 24 bit", "flac", 6),
    ("m4a", "alac: 16 bit", None, 6), ("m4a", "alac: 24 bit", None, 6),
    ("m4a", "aac: 64k", "faad", 2), ("m4a", "aac: 128k", "faad", 6), ("m4a", "aac: 256k", "faad", 6),
    ("ogg", "vorbis: q2", "oggdec", 6), ("ogg", "vorbis: q5", "oggdec", 6),
    ("ogg", "vorbis: q8", "oggdec", 6), ("ogg", "vorbis: 96k", "oggdec", 2),
    ("opus", "opus: 32k", "opusdec", 2), ("opus", "opus: 96k", "opusdec", 6),
    ("opus", "opus: 160k", "opusdec", 6),
    ("mp3", "mp3: V2", "mpg123", 2), ("mp3", "mp3: V6", "mpg123", 2),
    ("mp3", "mp3: cbr 128k", "mpg123", 2), ("mp3", "mp3: abr 160k", "mpg123", 2),
]
DECODE = {
    "flac": ["flac", "-s", "-d", "-c", "--force-raw-format", "--endian=little", "--sign=signed"],
    "oggdec": ["oggdec", "-Q", "-R", "-o", "-"],
    "opusdec": ["opusdec", "--quiet", "--force-wav"],
    "faad": ["faad", "-q", "-f", "2", "-w"],
    "mpg123": ["mpg123", "-q", "-e", "s16", "-s"],
}


def length(rig, path, program, channels, bits):
    """Frames that another decoder finds."""
    command = DECODE[program] + [path] + (["-"] if program == "opusdec" else [])
    size = len(rig.output(command))
    if program == "faad":
        # It plays mono by two loudspeakers.
        channels = max(2, channels)
    if program == "opusdec":
        # The header, which of more than two channels has their places, too.
        size -= 44 if channels <= 2 else 68
    return size // channels // (3 if program == "flac" and bits == 24 else 2)


def likeness(heard, wanted, channels):
    """The correlation of some sound with one that has a frame more before and behind it, 1 at most;
    that of two silences is 1. Players round seconds to frames."""
    def product(one, other):
        return sum(a * b for a, b in zip(one, other))

    best = 0.0
    for lag in range(3):
        part = wanted[lag * channels:lag * channels + len(heard)]
        powers = product(heard, heard), product(part, part)
        if max(powers) < 1e-5 * len(part):
            return 1.0
        if min(powers) > 0:
            best = max(best, product(heard, part) / (powers[0] * powers[1]) ** 0.5)
    return best


def sought(rig, path, seconds, channels, rate, program):
    """What a player plays of a tenth of a second from a place on, once it has played another one:
    decoders may need some packets before."""
    if program == "mpv":
        rig.output(["mpv", "--no-config", "--really-quiet", "--no-video", f"--start={seconds}",
                    "--length=0.3", "--hr-seek=yes", "--ao=pcm", "--ao-pcm-file=played.wav",
                    "--ao-pcm-waveheader=yes", "--audio-format=float", "--gapless-audio=yes", path])
        command = ["-i", "played.wav", "-ss", "0.1"]
    else:
        command = ["-ss", str(seconds), "-i", path, "-ss", "0.1"]
    heard = array.array("f")
    heard.frombytes(rig.output(["ffmpeg", "-v", "error"] + command
                               + ["-t", "0.1", "-ac", str(channels), "-ar", str(rate), "-f", "f32le",
                                  "-"]))
    return heard


def encode(rig, sound, setting, dice):
    name, channels, rate, _ = sound
    extension, words, program, _ = setting
    job = f"{{ clip: {name}.wav, output: {{ file: o.{extension}, {words} }} }}"
    case = f"{name} as {words}"
    output = rig.run(job)
    path = f"o.{extension}"
    with open(os.path.join(rig.folder, path), "rb") as file:
        many = file.read()
    command = ["taskset", "-c", str(dice.choice(sorted(os.sched_getaffinity(0))))]
    rig.output(command + [rig.avjob, "run", "job.yaml", "--force", "--quiet"])
    with open(os.path.join(rig.folder, path), "rb") as file:
        require(file.read() == many, f"{case}: other bytes on one core")
    rate, frames = output["sample_rate"], output["frames"]
    heard = rig.decode(path)
    # ffmpeg leaves the last packet of AAC as long as it is.
    spare = 1023 if "aac" in words else 0
    require(frames <= len(heard) // (4 * channels) <= frames + spare,
            f"{case}: ffmpeg finds another length")
    # faad opens no MP4 whose packets are all of one size.
    if program and (name, program) != ("silence", "faad"):
        found = length(rig, path, program, channels, 24 if "24" in words else 16)
        # faad decodes whole packets.
        spare = 3072 if program == "faad" else 0
        require(frames <= found <= frames + spare, f"{case}: {program} finds {found} of {frames}")
    whole = wave(rig, path, channels)
    require(len(whole) == 4 * channels * frames, f"{case}: avjob finds another length")
    for _ in range(3):
        start = dice.randrange(frames - 2 * rate)
        end = start + dice.randrange(1, 2 * rate)
        rig.output([rig.avjob, "clip", path, "--from", f"{start} samples", "--to", f"{end} samples",
                    "-o", "cut.wav", "--wav", "32 bit float", "--force", "--quiet"])
        require(wave(rig, "cut.wav", channels) == whole[4 * channels * start:4 * channels * end],
                f"{case}: the cut {start}…{end} is another sound")
    # Players take a place in a VBR MP3 from the hundred of its table; AAC may say noise by its level
    # alone, and each decoder makes its own.
    is_vague = extension == "mp3" or name in ("noise", "bursts") and "aac" in words
    for player in () if is_vague else ("mpv", "ffmpeg"):
        places = [dice.randrange(rate, frames - rate) for _ in range(3)]
        # At edges of Ogg's pages they lose a packet, of any encoder's files.
        found = sum(is_found(rig, path, place, whole, channels, rate, player) for place in places)
        require(found >= 2, f"{case}: {player} finds another sound at {places}")


def is_found(rig, path, place, whole, channels, rate, player):
    heard = sought(rig, path, place / rate, channels, rate, player)
    first = (place + round(0.1 * rate) - 1) * channels
    wanted = array.array("f")
    wanted.frombytes(whole[4 * first:4 * (first + len(heard) + 2 * channels)])
    return len(heard) >= 0.09 * rate * channels and likeness(heard, wanted, channels) > 0.95


def wave(rig, path, channels):
    rig.output([rig.avjob, "compress", path, "-o", "whole.wav", "--wav", "32 bit float", "--force",
                "--quiet"])
    return rig.decode("whole.wav")


def torture_spliced(options, folder, dice):
    rig = Rig(options.avjob, folder)
    for name, channels, rate, source in SOUNDS:
        seconds = FRAMES / rate
        rig.output(["ffmpeg", "-v", "error"] + source + ["-t", str(seconds), "-ac", str(channels),
                                                         "-ar", str(rate), f"{name}.wav"])
    cases = [(sound, setting) for sound in SOUNDS for setting in SETTINGS
             if sound[1] <= setting[3]]
    dice.shuffle(cases)
    done = 0
    for sound, setting in cases:
        if done == options.rounds:
            break
        try:
            encode(rig, sound, setting, dice)
        except Fault as fault:
            # Few codecs have all rates.
            if "choose another setting" in str(fault):
                continue
            raise
        done += 1
    print(f"spliced: {done} kinds of sound and settings are the same on one core and on all, as long "
          "as others find them, and can be cut and sought", flush=True)
