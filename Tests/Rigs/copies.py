"""Random cuts, joins and mixes of MP3s of many encoders, copied without encoding.

ffmpeg and mpg123 must decode as many samples as the job asks for, mp3val must find no fault, and
copied parts must be bit for bit what ffmpeg decodes of the source.
"""

import array
import json
import math
import os
import statistics
import subprocess

from batch import Fault

MUSIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Fixtures/feelings.ogg")

LAME = ["-V0", "-V2", "-V4", "-V7", "--abr 160", "--abr 96", "-b 128", "-b 320", "-b 192", "-b 64",
        "-b 96 -m s", "-V3 -t", "-b 128 -t", "-V3 -m m", "-b 64 -m m", "-b 160 --nores", "-b 128 -p",
        "-b 192 -m d", "-V2 -m f", "--resample 48 -V2", "--resample 32 -b 128",
        "--resample 22.05 -V4", "--resample 24 -b 64", "--resample 16 -b 32 -m m",
        "--resample 11.025 -b 32", "--resample 8 -b 16 -m m", "--resample 12 -V5"]
FFMPEG = ["-c:a libmp3lame -b:a 160k", "-c:a libmp3lame -q:a 5 -write_xing 0",
          "-c:a libshine -b:a 128k"]
# What a splice disturbs: blocks of 1152 samples, and a filter bank of 480 more.
REACH = 1632


class Sound:
    """An MP3, and what ffmpeg decodes of it: interleaved floats, as bytes."""

    def __init__(self, rig, path):
        self.path = path
        facts = rig.output(["ffprobe", "-v", "error", "-show_entries",
                            "stream=sample_rate,channels", "-of", "csv=p=0", path]).decode()
        self.rate, self.channels = (int(word) for word in facts.split()[0].split(",")[:2])
        self.bytes = rig.decode(path)
        self.length = len(self.bytes) // (4 * self.channels)
        # Where its frames begin among the samples of the sound.
        self.grain = 1152 if self.rate >= 32000 else 576

    def slice(self, start, end):
        size = 4 * self.channels
        return self.bytes[start * size:end * size]


class Rig:
    """avjob and its oracles, in a folder."""

    def __init__(self, avjob, folder):
        self.avjob, self.folder = avjob, folder

    def output(self, command, errors=False):
        done = subprocess.run(command, cwd=self.folder, capture_output=True)
        if done.returncode:
            raise Fault(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        return done.stderr if errors else done.stdout

    def decode(self, path):
        return self.output(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-"])

    def encodes(self):
        self.output(["ffmpeg", "-v", "error", "-i", MUSIC, "-ss", "3", "-ar", "44100", "m.wav"])
        sounds = []
        for number, options in enumerate(LAME):
            path = f"lame-{number}.mp3"
            self.output(["lame", "--quiet"] + options.split() + ["m.wav", path])
            sounds.append(Sound(self, path))
        for number, options in enumerate(FFMPEG):
            path = f"ffmpeg-{number}.mp3"
            self.output(["ffmpeg", "-v", "error", "-i", "m.wav"] + options.split() + [path])
            sounds.append(Sound(self, path))
        return sounds

    def run(self, job):
        with open(os.path.join(self.folder, "job.yaml"), "w") as file:
            file.write(job)
        self.output([self.avjob, "run", "job.yaml", "--force", "--quiet", "--report", "r.json"])
        with open(os.path.join(self.folder, "r.json")) as file:
            return json.load(file)["jobs"][0]["outputs"][0]

    def require_sound(self, path, length, channels):
        """ffmpeg, mpg123 and mp3val report no fault, and mpg123 decodes `length` samples."""
        words = self.output(["ffmpeg", "-v", "warning", "-i", path, "-f", "null", "-"], errors=True)
        if words and b"low score" not in words:
            raise Fault(f"ffmpeg says of {path}: {words.decode()}")
        heard = subprocess.run(["mpg123", "-q", "-e", "s16", "-s", path], cwd=self.folder,
                               capture_output=True)
        if heard.stderr or len(heard.stdout) != 2 * channels * length:
            raise Fault(f"mpg123 says of {path}: {len(heard.stdout)} bytes, {heard.stderr}")
        report = self.output(["mp3val", path]).decode()
        for line in report.splitlines():
            if line.startswith(("WARNING", "ERROR")) and "Too few MPEG frames" not in line:
                raise Fault(f"mp3val says: {line}")


def clip(sound, start, end, more=""):
    return f"{{ clip: {sound.path}, from: {start} samples, to: {end} samples{more} }}"


def cut(rig, sounds, dice):
    sound = dice.choice(sounds)
    start, end = sorted(dice.randrange(sound.length) for _ in range(2))
    start, end = dice.choice([(start, end), (0, end), (start, sound.length)])
    if end - start < 1300:
        start, end = 0, 1300 + dice.randrange(9000)
    rig.output([rig.avjob, "clip", sound.path, "--from", f"{start} samples", "--to",
                f"{end} samples", "-o", "o.mp3", "--mp3", "copy", "--force", "--quiet"])
    if rig.decode("o.mp3") != sound.slice(start, end):
        raise Fault(f"{sound.path} from {start} to {end} is not the slice")
    rig.require_sound("o.mp3", end - start, sound.channels)


def partners(sounds, sound):
    return [other for other in sounds
            if (other.rate, other.channels) == (sound.rate, sound.channels)
            and other.path.startswith("lame-") and other.path not in ("lame-11.mp3", "lame-12.mp3")]


def join(rig, sounds, dice):
    """Two sounds with frames on one grid; gives the error in the seam, in decibels."""
    first = dice.choice(partners(sounds, dice.choice(sounds[:11])))
    second = dice.choice(partners(sounds, first))
    length, more = (dice.randrange(8000, 60000) for _ in range(2))
    start = dice.randrange(first.length - length)
    other = dice.randrange(second.length - more - first.grain)
    other += (start + length - other) % first.grain
    rig.run(f"concat: [ {clip(first, start, start + length)}, "
            f"{clip(second, other, other + more)} ]\noutput: {{ file: o.mp3, mp3: copy }}\n")
    heard = rig.decode("o.mp3")
    wanted = first.slice(start, start + length) + second.slice(other, other + more)
    size = 4 * first.channels
    # A seam may begin and end some frames farther off, where blocks do not meet.
    near, far = (length - 2304 - 8 * 1152) * size, (length + 2304 + 8 * 1152) * size
    if len(heard) != len(wanted) or heard[:max(0, near)] != wanted[:max(0, near)] \
            or heard[far:] != wanted[far:]:
        raise Fault("a join differs beside its seam")
    rig.require_sound("o.mp3", length + more, first.channels)
    seam = slice((length - 2304) * size, (length + 2304) * size)
    one, two = array.array("f", heard[seam]), array.array("f", wanted[seam])
    power = sum(sample * sample for sample in two)
    error = sum((sample - other) ** 2 for sample, other in zip(one, two))
    return first.rate, 10 * math.log10(max(error, 1e-12) / max(power, 1e-9))


def compose(rig, sounds, dice):
    main = dice.choice(sounds[:11])
    items = []
    for _ in range(dice.randrange(2, 7)):
        sound = dice.choice(partners(sounds, main) or [main])
        start = dice.randrange(sound.length - 80000)
        end = start + dice.randrange(4000, 80000)
        items.append(dice.choice([
            clip(sound, start, end), clip(sound, start, end),
            clip(sound, start, end, ", gain: -3 dB"),
            clip(sound, start, end, ", fade_in: 30ms, fade_out: 20ms"),
            clip(sound, start, end, ", speed: 1.1"), "{ silence: 0.3s }", "{ clip: m.wav, to: 1s }",
            "{ tracks: { a: %s, b: { clip: m.wav, to: 50ms, gain: -20 dB } } }"
            % clip(sound, start, end)]))
    start = dice.randrange(main.length - 200000)
    items.append(clip(main, start, start + 200000))
    fade = dice.choice(["", "crossfade: 20ms\n"])
    job = "concat:\n" + "".join(f"  - {item}\n" for item in items) + fade
    layout = "mono" if main.channels == 1 else "stereo"
    rig.run(job + f"channels: {layout}\noutput: {{ file: r.wav, wav: 32 bit float, "
            f"sample_rate: {main.rate} Hz }}\n")
    wanted = rig.decode("r.wav")
    output = rig.run(job + f"channels: {layout}\noutput: {{ file: o.mp3, mp3: copy }}\n")
    heard, size = rig.decode("o.mp3"), 4 * output["channel_count"]
    if len(heard) != len(wanted) or len(heard) != output["frames"] * size:
        raise Fault(f"a mix is {len(heard) // size} long, not {output['frames']}")
    for part in output["copied"]:
        first, last = part["first_frame"], part["end_frame"]
        first += REACH if first > 0 else 0
        if "path" in part and heard[first * size:last * size] != wanted[first * size:last * size]:
            raise Fault(f"a copied part of a mix differs: {part}")
    rig.require_sound("o.mp3", output["frames"], output["channel_count"])


def torture_copies(options, folder, dice):
    rig = Rig(options.avjob, folder)
    sounds = rig.encodes()
    for number in range(options.rounds):
        cut(rig, sounds, dice)
    print(f"copies: {options.rounds} cuts of {len(sounds)} MP3s are exact", flush=True)
    errors = [join(rig, sounds, dice) for _ in range(max(1, options.rounds // 5))]
    print(f"copies: {len(errors)} joins are exact beside their seams; errors of the seams: median "
          f"{statistics.median(error for _, error in errors):.1f} dB, worst "
          f"{max(error for _, error in errors):.1f} dB", flush=True)
    mixes = max(1, options.rounds // 8)
    for _ in range(mixes):
        compose(rig, sounds, dice)
    print(f"copies: {mixes} mixes are exact where they are copied", flush=True)
