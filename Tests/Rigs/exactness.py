"""Cuts, joins, lengths and levels of avjob and of its peers, held to the recording that went in.

usage: exactness.py AVJOB RECORDING.wav VOICE FOLDER

Each figure is how far a file is from what was asked for, in samples of its rate or in decibels.
The judge is the original recording and ffmpeg's decoder, which obeys the marks for encoder delay and
padding of MP3 and Opus. Of M4A it plays the last packet to its end, so lengths of M4A are those that
the file's edit list states. The ranges are the same at each call.
"""

import json
import os
import random
import re
import subprocess
import sys

import numpy

AVJOB, RECORDING, VOICE, FOLDER = sys.argv[1:]
CUTS, PIECES, LENGTHS = 20, 10, 10
# How far from its place sound is looked for, in samples.
REACH = 100_000
CONVERT = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
RESAMPLE = ["-af", "aresample=48000:resampler=soxr:precision=28"]
ENCODERS = {
    "mp3": ["-c:a", "libmp3lame", "-q:a", "2"],
    "m4a": ["-c:a", "aac", "-b:a", "128k"],
    "opus": ["-c:a", "libopus", "-b:a", "96k"],
    "ogg": ["-c:a", "libvorbis", "-q:a", "5"],
    "flac": ["-c:a", "flac"],
    "wav": ["-c:a", "pcm_f32le"],
}
OURS = {
    "mp3": ["--mp3", "V2"], "m4a": ["--aac", "128k"], "opus": ["--opus", "96k"],
    "ogg": ["--vorbis", "q5"], "flac": ["--flac", "16 bit"], "wav": ["--wav", "32 bit float"],
}
COPIES = {"mp3": "--mp3", "m4a": "--aac", "opus": "--opus", "flac": "--flac"}
SOX = {
    "mp3": ["-C", "-2.0"], "ogg": ["-C", "5"], "flac": ["-b", "16"],
    "wav": ["-e", "floating-point", "-b", "32"],
}


def path(name):
    return os.path.join(FOLDER, name)


def run(command):
    """Whether a command succeeded; its output is kept for whoever looks for a mistake."""
    with open(path("log"), "ab") as log:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode == 0


def need(command):
    if not run(command):
        sys.exit(f"this failed, see {path('log')}: {' '.join(command)}")


def avjob(*arguments):
    return [AVJOB, *arguments, "--force", "--quiet"]


def decode(name):
    """The left channel."""
    with open(path("log"), "ab") as log:
        sound = subprocess.run(
            [*CONVERT, "-i", name, "-af", "pan=mono|c0=c0", "-f", "f32le", "-"],
            stdout=subprocess.PIPE, stderr=log, check=True)
    return numpy.frombuffer(sound.stdout, dtype=numpy.float32)


def length_of(name, sound):
    """How many samples a file says or is found to have."""
    if not name.endswith(".m4a"):
        return len(sound)
    said = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=duration_ts",
         "-of", "csv=p=0", name], stdout=subprocess.PIPE, check=True)
    return int(said.stdout)


def place(part, whole, guess):
    """Where in `whole` the middle of `part` lies, less `guess`: how far sound is from its place."""
    length = min(len(part) // 2, 65_536)
    skip = (len(part) - length) // 2
    first = max(0, guess + skip - REACH)
    around = whole[first:guess + skip + length + REACH].astype(numpy.float64)
    pattern = part[skip:skip + length].astype(numpy.float64)
    size = 1 << (len(around) + length).bit_length()
    product = numpy.fft.irfft(
        numpy.fft.rfft(around, size) * numpy.conj(numpy.fft.rfft(pattern, size)), size)
    sums = numpy.concatenate(([0], numpy.cumsum(around * around)))
    energy = sums[length:] - sums[:-length]
    likeness = product[:len(energy)] / numpy.sqrt(energy + 1e-9)
    return int(numpy.argmax(likeness)) + first - skip - guess


def row(what, tool, *figures):
    print(f"{what:<30} {tool:<34}" + "".join(f" {figure:>16}" for figure in figures), flush=True)


def most(figures):
    """The figure that is farthest from 0."""
    return f"{max(figures, key=abs):+d}" if any(figures) else "0"


def exact(*lists):
    hits = sum(1 for figures in zip(*lists) if not any(figures))
    return f"{hits} of {len(lists[0])}"


# ---- Cuts --------------------------------------------------------------------------------------


def cut_commands(kind, source, start, count, rate, target):
    """The usual commands for a range, by the name of the tool."""
    seconds, length = f"{start / rate:.6f}", f"{count / rate:.6f}"
    ours = ["clip", source, "--from", f"{start} samples", "--duration", f"{count} samples"]
    before = [*CONVERT, "-ss", seconds, "-t", length, "-i", source]
    inside = f"atrim=start_sample={start}:end_sample={start + count},asetpts=PTS-STARTPTS"
    if kind == "copied":
        extension = target.rsplit(".", 1)[1]
        return {
            "avjob clip, copy": avjob(*ours, "-o", target, COPIES[extension], "copy"),
            "ffmpeg -ss -t -i, -c copy": [*before, "-c", "copy", target],
        }
    commands = {
        "avjob clip": avjob(*ours, "-o", target, *OURS["wav"]),
        "ffmpeg -ss -t -i": [*before, *ENCODERS["wav"], target],
        "ffmpeg -i, atrim": [*CONVERT, "-i", source, "-af", inside, *ENCODERS["wav"], target],
    }
    commands["sox trim"] = ["sox", source, *SOX["wav"], target, "trim", f"{start}s", f"{count}s"]
    return commands


def whole_decodes(source):
    """A whole file by each tool, to which ranges of it are held."""
    commands = {
        "avjob": avjob("compress", source, "-o", path("whole-avjob.wav"), *OURS["wav"]),
        "ffmpeg": [*CONVERT, "-i", source, *ENCODERS["wav"], path("whole-ffmpeg.wav")],
        "sox": ["sox", source, *SOX["wav"], path("whole-sox.wav")],
    }
    found = {}
    for tool, command in commands.items():
        if run(command):
            found[tool] = decode(path(f"whole-{tool}.wav"))
    return found


def measure_cuts(sources):
    print(f"\n{CUTS} random ranges of 2 to 12 s: samples off, the worst of them\n")
    row("cuts", "command", "start", "length", "both exact", "= whole decode")
    dice = random.Random(20261126)
    for source, (original, rate) in sources.items():
        name = os.path.basename(source)
        extension = source.rsplit(".", 1)[1]
        ranges = []
        for _ in range(CUTS):
            count = dice.randrange(2 * rate, 12 * rate)
            ranges.append((dice.randrange(rate, len(original) - count - rate), count))
        wholes = whole_decodes(source)
        for kind in "copied", "to WAV":
            target = path("cut." + (extension if kind == "copied" else "wav"))
            for tool in cut_commands(kind, source, 0, 1, rate, target):
                starts, lengths, slices = [], [], 0
                whole = wholes.get(tool.split()[0])
                first = cut_commands(kind, source, *ranges[0], rate, target)[tool]
                if not run(first):
                    row(f"{name}, {kind}", tool, "cannot", "", "", "")
                    continue
                for start, count in ranges:
                    need(cut_commands(kind, source, start, count, rate, target)[tool])
                    sound = decode(target)
                    starts.append(place(sound, original, start))
                    lengths.append(length_of(target, sound) - count)
                    if whole is not None:
                        # Of M4A what is decoded may be longer than what is played.
                        played = sound[:count] if target.endswith(".m4a") else sound
                        slices += numpy.array_equal(played, whole[start:start + count])
                row(f"{name}, {kind}", tool, most(starts), most(lengths),
                    exact(starts, lengths), f"{slices} of {CUTS}")


# ---- Joins -------------------------------------------------------------------------------------


def join_commands(kind, pieces, target):
    extension = target.rsplit(".", 1)[1]
    with open(path("pieces.txt"), "w", encoding="utf-8") as list_of_pieces:
        list_of_pieces.writelines(f"file '{os.path.basename(piece)}'\n" for piece in pieces)
    inputs = [part for piece in pieces for part in ("-i", piece)]
    joined = "".join(f"[{n}:a]" for n in range(len(pieces)))
    joined += f"concat=n={len(pieces)}:v=0:a=1"
    if kind == "copied":
        commands = {
            "ffmpeg -f concat, -c copy": [
                *CONVERT, "-f", "concat", "-i", path("pieces.txt"), "-c", "copy", target],
        }
        if extension in COPIES:
            ours = {"avjob concat, copy": avjob(
                "concat", *pieces, "-o", target, COPIES[extension], "copy")}
            commands = ours | commands
        return commands
    commands = {
        "avjob concat": avjob("concat", *pieces, "-o", target, *OURS[extension]),
        "ffmpeg, filter concat": [
            *CONVERT, *inputs, "-filter_complex", joined, *ENCODERS[extension], target],
    }
    if extension in SOX:
        commands["sox"] = ["sox", *pieces, *SOX[extension], target]
    return commands


def measure_joins(recordings):
    print(f"\n60 s in {PIECES} pieces of random lengths, encoded apart and joined: samples off\n")
    row("joins", "command", "length", "the last piece", "exact")
    for extension, maker in (
            ("mp3", "lame"), ("m4a", "ffmpeg"), ("opus", "ffmpeg"), ("ogg", "oggenc"),
            ("flac", "flac")):
        rate = 48_000 if extension == "opus" else 44_100
        name, original = recordings[rate]
        dice = random.Random(extension)
        edges = sorted(dice.randrange(2 * rate, 58 * rate) for _ in range(PIECES - 1))
        edges = [0, *edges, 60 * rate]
        pieces = []
        for number, (start, end) in enumerate(zip(edges, edges[1:])):
            piece = path(f"piece-{number}.wav")
            need(["sox", name, piece, "trim", f"{start}s", f"{end - start}s"])
            pieces.append(path(f"piece-{number}.{extension}"))
            need({
                "lame": ["lame", "--quiet", "-V2", piece, pieces[-1]],
                "oggenc": ["oggenc", "--quiet", "-q", "5", piece, "-o", pieces[-1]],
                "flac": ["flac", "--silent", "-f", piece, "-o", pieces[-1]],
                "ffmpeg": [*CONVERT, "-i", piece, *ENCODERS[extension], pieces[-1]],
            }[maker])
        for kind in "copied", "encoded":
            target = path("joined." + extension)
            for tool, command in join_commands(kind, pieces, target).items():
                if not run(command):
                    row(f"{PIECES} {extension}, {kind}", tool, "refused", "", "")
                    continue
                sound = decode(target)
                length = length_of(target, sound) - 60 * rate
                # Where a second from the middle of the last piece is.
                start = (edges[-2] + edges[-1]) // 2 - rate // 2
                late = -place(original[start:start + rate], sound, start)
                row(f"{PIECES} {extension}, {kind}", tool, f"{length:+d}", f"{-late:+d}",
                    "yes" if length == late == 0 else "no")


# ---- Lengths -----------------------------------------------------------------------------------


def measure_lengths(recordings):
    print(f"\n{LENGTHS} sounds of random lengths, encoded: samples off after decoding\n")
    row("lengths", "command", "start", "length", "both exact")
    for extension in "mp3", "m4a", "opus", "ogg", "flac":
        rate = 48_000 if extension == "opus" else 44_100
        recording, original = recordings[rate]
        source, target = path("sound.wav"), path("sound." + extension)
        commands = {
            "avjob compress": avjob("compress", source, "-o", target, *OURS[extension]),
            "ffmpeg": [*CONVERT, "-i", source, *ENCODERS[extension], target],
        }
        if extension in SOX:
            commands["sox"] = ["sox", source, *SOX[extension], target]
        commands |= {
            "mp3": {"lame": ["lame", "--quiet", "-V2", source, target]},
            "opus": {"opusenc": ["opusenc", "--quiet", source, target]},
            "ogg": {"oggenc": ["oggenc", "--quiet", "-q", "5", source, "-o", target]},
            "flac": {"flac": ["flac", "--silent", "-f", source, "-o", target]},
        }.get(extension, {})
        found = {tool: ([], []) for tool in commands}
        dice = random.Random("lengths")
        for _ in range(LENGTHS):
            count = dice.randrange(rate, 9 * rate)
            start = dice.randrange(rate, len(original) - count - rate)
            need(["sox", recording, source, "trim", f"{start}s", f"{count}s"])
            for tool, command in commands.items():
                need(command)
                sound = decode(target)
                found[tool][0].append(place(sound, original, start))
                found[tool][1].append(length_of(target, sound) - count)
        for tool, (starts, lengths) in found.items():
            row(extension, tool, most(starts), most(lengths), exact(starts, lengths))


# ---- Levels ------------------------------------------------------------------------------------


def heard(name):
    """Loudness in LUFS and true peak in dBTP, by ffmpeg's ebur128."""
    said = subprocess.run(
        ["ffmpeg", "-nostdin", "-i", name, "-af", "ebur128=peak=true:framelog=verbose", "-f", "null",
         "-"], stderr=subprocess.PIPE, check=True).stderr.decode(errors="replace")
    return (float(re.findall(r"I: +(-?[0-9.]+) LUFS", said)[-1]),
            float(re.findall(r"Peak: +(-?[0-9.]+) dBFS", said)[-1]))


def loudnorm(source, passes):
    aim = "loudnorm=I=-16:TP=-1:LRA=20"
    if passes == 1:
        return aim
    said = subprocess.run(
        ["ffmpeg", "-nostdin", "-i", source, "-af", aim + ":print_format=json", "-f", "null", "-"],
        stderr=subprocess.PIPE, check=True).stderr.decode(errors="replace")
    facts = json.loads(said[said.rindex("{"):said.rindex("}") + 1])
    measured = ":".join(f"measured_{ours}={facts[theirs]}" for ours, theirs in (
        ("I", "input_i"), ("TP", "input_tp"), ("LRA", "input_lra"), ("thresh", "input_thresh")))
    return f"{aim}:{measured}:offset={facts['target_offset']}:linear=true"


def measure_levels():
    sounds = []
    for number in range(8):
        sounds.append(path(f"level-{number}.wav"))
        need(["sox", RECORDING, sounds[-1], "trim", str(number * 70), "30"])
    sounds.append(path("level-voice.wav"))
    need([*CONVERT, "-i", VOICE, "-t", "30", "-ar", "44100", "-ac", "2", sounds[-1]])
    print(f"\n{len(sounds)} sounds of 30 s to -16 LUFS under -1 dBTP, measured behind the encoder\n")
    row("levels", "command", "worst LUFS off", "highest peak", "within 0.1 LU", "peaks kept")
    for extension in "wav", "mp3", "m4a", "opus":
        target = path("level-out." + extension)
        setting = {"wav": "wav: 24 bit", "mp3": "mp3: V2", "m4a": "aac: 128k", "opus": "opus: 96k"}
        rate = "48000" if extension == "opus" else "44100"
        encoder = ENCODERS[extension] if extension != "wav" else ["-c:a", "pcm_s24le"]
        for tool in "avjob run", "ffmpeg loudnorm, two passes", "ffmpeg loudnorm, one pass":
            found = []
            for source in sounds:
                if tool == "avjob run":
                    with open(path("level.yaml"), "w", encoding="utf-8") as job:
                        job.write(
                            f"clip: {source}\n"
                            "loudness: { integrated: -16 LUFS, true_peak: -1 dBTP }\n"
                            f"output: {{ file: {target}, {setting[extension]} }}\n")
                    need([AVJOB, "run", "--quiet", "--force", path("level.yaml")])
                else:
                    passes = 2 if "two" in tool else 1
                    need([*CONVERT, "-i", source, "-af", loudnorm(source, passes), "-ar", rate,
                          *encoder, target])
                found.append(heard(target))
            off = [loudness + 16 for loudness, _ in found]
            # Meters print tenths: what is printed as -1.0 is kept.
            row(f"-16 LUFS, {extension}", tool, f"{max(off, key=abs):+.1f} LU",
                f"{max(peak for _, peak in found):+.1f} dBTP",
                f"{sum(abs(o) < 0.15 for o in off)} of {len(off)}",
                f"{sum(peak <= -1.0 for _, peak in found)} of {len(found)}")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    recordings = {}
    for rate in 44_100, 48_000:
        name = path(f"recording-{rate}.wav")
        need([*CONVERT, "-i", RECORDING, *(RESAMPLE if rate == 48_000 else []), name])
        recordings[rate] = (name, decode(name))
    sources = {}
    # A decoder makes the noise of AAC (PNS, on by default) by itself, and another one in each decoding.
    for extension, more in (
            ("mp3", []), ("m4a", []), ("m4a", ["-aac_pns", "0"]), ("opus", []), ("flac", [])):
        name, original = recordings[48_000 if extension == "opus" else 44_100]
        source = path(("source-plain." if more else "source.") + extension)
        need(["lame", "--quiet", "-V2", name, source] if extension == "mp3"
             else [*CONVERT, "-i", name, *ENCODERS[extension], *more, source])
        sources[source] = (original, 48_000 if extension == "opus" else 44_100)
    measure_cuts(sources)
    measure_joins(recordings)
    measure_lengths(recordings)
    measure_levels()


main()
