#!/usr/bin/python3
"""Ten jobs of the documentation over inputs of forty formats.

One known sound is encoded to each format, with tags and chapters where it has them. Each job must
give the sound that ffmpeg decodes of the same input, at the length that `avjob plan` says, with its
tags and chapters or a note that names them; or it is refused with a status other than 0, and words.

usage: formats.py AVJOB FOLDER [FORMAT…]
"""

import array
import json
import math
import pathlib
import random
import re
import subprocess
import sys

RATE, SECONDS = 44100, 8
START, END = 1.3, 4.7
TAGS = {"title": "Fünf Formate", "artist": "Ann Example"}
TITLES = ["Eins", "Zwei", "Drei"]

# A name with its extension, and a command or what ffmpeg is told: VIDEO is a picture beside the
# sound.
FORMATS = """
wav-u8.wav -c:a pcm_u8 | wav-s16.wav -c:a pcm_s16le | wav-s24.wav -c:a pcm_s24le
wav-s32.wav -c:a pcm_s32le | wav-f32.wav -c:a pcm_f32le | wav-f64.wav -c:a pcm_f64le
wav-alaw.wav -c:a pcm_alaw | wav-mulaw.wav -c:a pcm_mulaw | wav-ima.wav -c:a adpcm_ima_wav
wav-ms.wav -c:a adpcm_ms | wav-gsm.wav sox s.wav -r 8000 -c 1 -e gsm-full-rate OUT
rf64.wav -c:a pcm_s16le -rf64 always | w64.w64 -c:a pcm_s24le
aiff.aiff -c:a pcm_s16be -write_id3v2 1 | aifc-float.aifc sox s.wav -e float -b 32 OUT
aifc-sowt.aiff -c:a pcm_s16le | caf-pcm.caf -c:a pcm_s24be | caf-alac.caf -c:a alac
au.au -c:a pcm_s16be | voc.voc -c:a pcm_s16le | nut.nut -c:a pcm_s16le | flac.flac -c:a flac
flac-cli.flac flac -s -f -T TITLE=Title -o OUT s.wav | ogg-flac.oga -c:a flac
vorbis.ogg -c:a libvorbis -q:a 5 | oggenc.ogg oggenc -Q -q 5 -t Title -o OUT s.wav
opus.opus -c:a libopus -b:a 96k | opusenc.opus opusenc --quiet --title Title s.wav OUT
speex.spx -c:a libspeex -ar 16000 | mp3-vbr.mp3 -c:a libmp3lame -q:a 2
mp3-cbr.mp3 lame --quiet -b 160 --tt Title s.wav OUT
mp3-bare.mp3 -c:a libmp3lame -b:a 128k -write_xing 0 -id3v2_version 0 | mp2.mp2 -c:a mp2 -b:a 192k
aac-adts.aac AAC | m4a-aac.m4a AAC | m4a-alac.m4a -c:a alac | mp4-video.mp4 VIDEO mpeg4 AAC
mp4-dash.mp4 AAC -movflags frag_keyframe+empty_moov+default_base_moof | mov-pcm.mov -c:a pcm_s16le
mov-mp3.mov -c:a libmp3lame -q:a 2 | mkv-video.mkv VIDEO mpeg4 -c:a libvorbis -q:a 5
mka-flac.mka -c:a flac | mka-aac.mka AAC | webm-opus.webm -c:a libopus -b:a 96k
webm-vorbis.webm -c:a libvorbis -q:a 5 | flv-mp3.flv -c:a libmp3lame -q:a 2
flv-aac.flv VIDEO flv AAC | avi-mp3.avi VIDEO mpeg4 -c:a libmp3lame -b:a 128k
avi-pcm.avi -c:a pcm_s16le | ogv.ogv VIDEO libtheora -c:a libvorbis -q:a 5
ac3.ac3 -c:a ac3 -b:a 192k | eac3.eac3 -c:a eac3 -b:a 192k | dts.dts -c:a dca -strict -2 -b:a 768k
wma.wma -c:a wmav2 -b:a 128k | wmv-wma1.wmv -c:a wmav1 -b:a 128k | tta.tta -c:a tta
wavpack.wv -c:a wavpack | ts-aac.ts VIDEO mpeg2video AAC | ts-ac3.ts -c:a ac3 -b:a 192k
mpg-mp2.mpg VIDEO mpeg1video -c:a mp2 -b:a 192k
mxf-pcm.mxf VIDEO mpeg2video -c:a pcm_s16le -ar 48000
"""
# What copies a codec, and the extension that it goes into.
COPIES = {"mp3": ("mp3", "mp3"), "aac": ("aac", "m4a"), "alac": ("alac", "m4a"),
          "opus": ("opus", "opus"), "flac": ("flac", "flac"), "vorbis": ("vorbis", "ogg")}
# Layer II has two decoders, of which ffmpeg takes the one that rounds. Where an encoder leaves noise
# to the decoder, each decoding has its own. What a Speex decoder is late by is left in by ffmpeg.
DECODERS = {"mp2": "mp2float"}
NOISY = {"ac3": -35, "eac3": -35}
LATE = {"speex": 223}
WORKS = [
    "probe", "compress", "clip", "concat", "fade", "speed", "loudness", "same", "copy", "split",
]


def rows():
    return [row.strip() for line in FORMATS.split("\n") for row in line.split(" | ") if row]


class Wrong(Exception):
    """A result that must not be."""


class Refused(Exception):
    """avjob's words."""


def require(condition, *words):
    if not condition:
        raise Wrong(" ".join(str(word) for word in words))


class Sound:
    """Interleaved floats, as ffmpeg decodes them."""

    def __init__(self, rig, path):
        self.facts = next(one for one in rig.probe(path)["streams"] if one["codec_type"] == "audio")
        self.codec = self.facts["codec_name"]
        self.rate, self.channels = int(self.facts["sample_rate"]), self.facts["channels"]
        decoder = ["-c:a", DECODERS[self.codec]] if self.codec in DECODERS else []
        decoded = rig.output(
            ["ffmpeg", "-v", "error", *decoder, "-i", path, "-map", "0:a:0", "-f", "f32le", "-"])
        self.samples = array.array("f", decoded)[LATE.get(self.codec, 0) * self.channels:]

    length = property(lambda self: len(self.samples) // self.channels)

    def slice(self, first, end):
        return self.samples[first * self.channels:end * self.channels]

    def level(self):
        return 10 * math.log10(math.fsum(one * one for one in self.samples) / len(self.samples))

    def turns(self):
        """How often a sample the first channel crosses zero, without its hiss."""
        one = self.samples[::self.channels]
        signs = [a + b + c + d < 0 for a, b, c, d in zip(one, one[1:], one[2:], one[3:])]
        return sum(a != b for a, b in zip(signs, signs[1:])) / self.length


class Rig:
    """avjob, a folder, and the sources in it."""

    def __init__(self, avjob, folder):
        self.avjob, self.folder, self.told = avjob, folder, ""

    def output(self, command, sound=None):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, input=sound or b"")
        errors = done.stderr.decode(errors="replace")
        require(done.returncode == 0, " ".join(command), errors[-300:])
        return done.stdout

    def probe(self, path):
        return json.loads(self.output(["ffprobe", "-v", "error", "-of", "json", "-show_format",
                                       "-show_streams", "-show_chapters", path]))

    def tags(self, facts):
        tags = [one.get("tags", {}) for one in [facts["format"], *facts["streams"]]]
        return {
            key.lower(): value for one in tags for key, value in one.items() if key.lower() in TAGS
        }

    def call(self, *words):
        done = subprocess.run(
            [self.avjob, *words], cwd=self.folder, capture_output=True, timeout=120)
        self.told += done.stderr.decode(errors="replace")
        if done.returncode in (1, 2) and "error:" in self.told:
            raise Refused(" ".join(self.told[self.told.index("error:") + 7:].split()))
        require(done.returncode == 0, "status", done.returncode, self.told[-300:])
        return done.stdout

    def run(self, job):
        """Runs a job; gives its outputs as `plan` tells them."""
        (self.folder / "job.yaml").write_text(job)
        planned = json.loads(self.call("plan", "--json", "job.yaml"))
        self.call("run", "--force", "--quiet", "job.yaml")
        return [one for job in planned["jobs"] for one in job["outputs"]]

    def make(self):
        dice, sound = random.Random(1), array.array("h")
        for n in range(RATE * SECONDS):
            t = n / RATE
            loud = 0.7 * (0.3 + 0.2 * math.sin(2 * math.pi * 0.7 * t))
            for turns in (200 * t + 90 * t * t, 2600 * t - 110 * t * t):
                one = loud * math.sin(2 * math.pi * turns) + 0.004 * dice.uniform(-1, 1)
                sound.append(round(32767 * one))
        self.output(["ffmpeg", "-v", "error", "-y", "-f", "s16le", "-ar", str(RATE), "-ac", "2", "-i", "-",
                     "s.wav"], sound.tobytes())
        bounds = [0, 2500, 5250, 1000 * SECONDS]
        marks = [f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n"
                 for start, end, title in zip(bounds, bounds[1:], TITLES)]
        tags = [";FFMETADATA1\n"] + [f"{name}={text}\n" for name, text in TAGS.items()]
        (self.folder / "tags.txt").write_text("".join(tags + marks))
        # ffmpeg writes no chapters into Vorbis comments, and reads them.
        tags += [f"CHAPTER{n:03}=00:00:0{start / 1000:.3f}\nCHAPTER{n:03}NAME={title}\n"
                 for n, (start, title) in enumerate(zip(bounds, TITLES))]
        (self.folder / "comments.txt").write_text("".join(tags))

    def encode(self, path, how):
        if not how.startswith(("-", "AAC", "VIDEO")):
            self.output([path if word == "OUT" else word for word in how.split()])
            return
        how = how.replace("AAC", "-c:a aac -aac_pns 0 -b:a 128k").replace(
            "VIDEO", "-f lavfi -i testsrc=s=160x120:r=25:d=8 -map 2:v -map 0:a -c:v").split()
        has_comments = path.endswith(("flac", "oga", "ogg", "opus", "spx", "ogv"))
        tags = "comments.txt" if has_comments else "tags.txt"
        self.output(["ffmpeg", "-v", "error", "-y", "-i", "s.wav", "-i", tags, *how, "-map_metadata", "1",
                     "-map_chapters", "1", path])

    def require_kept(self, source, path):
        """Tags and chapters are in the output, or what was told names them."""
        was, now = self.probe(source), self.probe(path)
        for key, value in self.tags(was).items():
            require(self.tags(now).get(key) == value or key in self.told.lower(), path, "has no", key)
        counts = len(was["chapters"]), len(now["chapters"])
        require(counts[0] == counts[1] or "chapter" in self.told, path, "has not its chapters:", counts)

    def require_sound(self, planned, wanted, channels, bound):
        """The file has the planned length, and a sound that is near to what is wanted, in decibels."""
        path, length = planned["path"], planned["end_frame"] - planned["first_frame"]
        heard = Sound(self, path)
        excess = heard.length - length
        # ffmpeg plays the last packet of an M4A to its end.
        require(excess == 0 or path.endswith(".m4a") and 0 < excess < 1024, path, heard.length, "of", length)
        require(length * channels == len(wanted), path, "is planned as", length, "not", len(wanted) / channels)
        require(heard.channels == channels, path, "has", heard.channels, "channels")
        noise = math.fsum((one - other) ** 2 for one, other in zip(heard.samples, wanted))
        far = 10 * math.log10(max(noise, 1e-12) / math.fsum(one * one for one in wanted))
        require(far <= bound, f"{path} differs by {far:.1f} dB")


def faded(sound):
    level, rate, size, last = 10 ** (-3 / 20), sound.rate, sound.channels, sound.length
    return array.array("f", (one * level * min(1, n // size / rate, (last - n // size) / (2 * rate))
                             for n, one in enumerate(sound.samples)))


def simple(name, source, sound):
    """A job, what is wanted of it, and how near in decibels; nothing for other jobs."""
    near, whole = NOISY.get(sound.codec, -85), f"clip: {source}\n"
    part = whole + f"from: {START}s\nto: {END}s\noutput: "
    middle = sound.slice(round(START * sound.rate), round(END * sound.rate))
    float32 = "output: { file: o.wav, wav: 32 bit float }\n"
    key, kind = COPIES.get(sound.codec, ("wav", "wav"))
    if key == "wav" and source.endswith(("aiff", "aifc", "caf")):
        key = kind = source[source.rindex(".") + 1:].replace("aifc", "aiff")
    return {
        "compress": (whole + f"output: {{ file: o.mp3, mp3: V0, sample_rate: {sound.rate} Hz }}\n", sound.samples, -15),
        "clip": (part + "{ file: o.flac, flac: 24 bit }\n", middle, near),
        "concat": (f"concat: [{source}, {source}]\n" + float32, sound.samples + sound.samples, near),
        "fade": (whole + "gain: -3 dB\nfade_in: 1s\nfade_out: 2s\n" + float32, faded(sound), near),
        "same": (whole + "output: { folder: same, codec: same }\n", sound.samples, -70 if kind == "wav" else -12),
        "copy": (part + f"{{ file: c.{kind}, {key}: copy }}\n", middle, -60),
    }.get(name)


def work(rig, name, source, sound):
    """Does one job over a source, and raises what is wrong with it."""
    rate, size, rig.told = sound.rate, sound.channels, ""
    whole = f"clip: {source}\n"
    if job := simple(name, source, sound):
        planned = rig.run(job[0])[0]
        rig.require_sound(planned, job[1], size, job[2])
        if name in ("compress", "same"):
            rig.require_kept(source, planned["path"])
    elif name == "probe":
        medium = json.loads(rig.call("probe", "--json", source))["media"][0]
        facts, exact, found = rig.probe(source), round(SECONDS * rate), medium["frames"]
        # A file without marks may end with its last packet's own duration.
        require(found in (exact, sound.length) or 0 < found - exact <= 1024, found, "frames, not", sound.length)
        require(len(medium["chapters"]) == len(facts["chapters"]), "chapters:", len(medium["chapters"]))
        require(medium["sample_rate"] == rate, "rate:", medium["sample_rate"])
        for key, value in rig.tags(facts).items():
            require(medium["metadata"].get(key) == value, "no", key)
        sound.samples = sound.slice(0, found)
    elif name == "speed":
        planned = rig.run(whole + "speed: 1.25\noutput: { file: o.wav, wav: 32 bit float }\n")
        heard = Sound(rig, "o.wav")
        require(heard.length == planned[0]["end_frame"] == math.floor(sound.length / 1.25 + 0.5),
                heard.length, "of", sound.length)
        require(abs(heard.level() - sound.level()) < 1.5, "level:", heard.level(), sound.level())
        require(abs(heard.turns() / sound.turns() - 1) < 0.1, "pitch:", heard.turns(), sound.turns())
    elif name == "loudness":
        rig.run(whole + "loudness: -23 LUFS\noutput: o.flac\n")
        told = rig.output(["sh", "-c", "ffmpeg -i o.flac -af ebur128 -f null - 2>&1"]).decode(errors="replace")
        level = float(re.findall(r"I:\s+(-?[\d.]+) LUFS", told)[-1])
        require(abs(level + 23) <= 0.15, level, "LUFS")
        rig.require_kept(source, "o.flac")
    elif name == "split":
        planned = rig.run(whole + f"split: chapters\noutput: \"split/{source} ${{part.n}}.flac\"\n")
        lengths = [Sound(rig, one["path"]).length for one in planned]
        require(len(planned) == len(rig.probe(source)["chapters"]) and sum(lengths) == sound.length,
                lengths, "of", sound.length)


def main():
    rig, chosen = Rig(sys.argv[1], pathlib.Path(sys.argv[2])), sys.argv[3:]
    rig.folder.mkdir(exist_ok=True)
    rig.make()
    wrong, words = [], {}
    print("| format |", " | ".join(WORKS), "|")
    for entry in re.split(r" \| |\n", FORMATS.strip()):
        source, how = entry.split(" ", 1)
        name = source.split(".")[0]
        if chosen and name not in chosen:
            continue
        rig.encode(source, how)
        sound, row = Sound(rig, source), []
        for one in WORKS:
            try:
                work(rig, one, source, sound)
                row.append("ok")
            except Refused as refusal:
                words.setdefault(f"{one}: {refusal}".replace(source, "FILE"), []).append(name)
                row.append("refused")
            except Wrong as problem:
                wrong.append(f"{name}, {one}: WRONG: {problem}")
                row.append("WRONG")
        print(f"| {name} |", " | ".join(row), "|", flush=True)
    for text, names in words.items():
        print(f"refused: {text} ({', '.join(names)})")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
