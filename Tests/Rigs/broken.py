"""Gives batches damaged media of many formats, and holds what comes of them against ffmpeg.

Of a damaged input it is right to be refused, with its name and its line of the job file, or to be
done with a warning, or to be done as if it were whole: what no checksum guards, no reader can know.
It is wrong to end the command, to keep it busy, to take much memory, to touch another job's output;
to be refused where ffmpeg finds all of its sound and no fault; to come out otherwise, in silence,
where a checksum does not fit, or where ffmpeg, in silence as well, finds other samples.
"""

import collections
import os
import re
import shutil
import subprocess

from batch import SLOWNESS, Batch, Fault, digest, job, make_media, require, tool

# The formats that inputs have, by name: extension, and how ffmpeg is told to make one.
FORMATS = {
    "wav": ("wav", []), "wav24": ("wav", ["-c:a", "pcm_s24le"]),
    "float": ("wav", ["-c:a", "pcm_f32le"]), "adpcm": ("wav", ["-c:a", "adpcm_ima_wav"]),
    "w64": ("w64", []), "au": ("au", []), "aiff": ("aiff", []), "caf": ("caf", []),
    "flac": ("flac", []), "oggflac": ("oga", ["-c:a", "flac"]),
    "mkaflac": ("mka", ["-c:a", "flac"]), "alac": ("m4a", ["-c:a", "alac"]), "wv": ("wv", []),
    "tta": ("tta", []), "mp3": ("mp3", []), "mp2": ("mp2", []), "m4a": ("m4a", []),
    "aac": ("aac", []), "ogg": ("ogg", ["-c:a", "libvorbis"]), "opus": ("opus", []),
    "webm": ("webm", []), "mka": ("mka", []), "ts": ("ts", []), "avi": ("avi", []),
    "ac3": ("ac3", []), "eac3": ("eac3", []), "wma": ("wma", []),
}
# Where each byte of sound is guarded by a checksum that libavformat or libavcodec can compare.
GUARDED = "flac", "oggflac", "mkaflac", "ogg", "opus", "tta", "wv"
# Whose samples are the same, whatever decodes them and in an output of 16 bits or more.
EXACT = (
    "wav", "wav24", "w64", "au", "aiff", "caf", "flac", "oggflac", "mkaflac", "alac", "wv", "tta")
# Bytes of a tenth of a second of what inputs are made of, as floats.
TENTH = 4410 * 2 * 4
# Bytes that a run of 200 jobs may take, and seconds: some ten times what it does.
MEMORY = 400 << 20
PATIENCE = 120 * SLOWNESS


def torture_broken(options, folder, dice):
    media = Media(options, os.path.join(folder, "batch"))
    tally = collections.Counter()
    for number in range(options.rounds):
        try:
            break_some(media, dice, tally)
        except Fault as problem:
            raise Fault(f"round {number}: {problem}")
    print(f"broken: {options.rounds} batches of 200 with 40 broken inputs, of {len(media.kinds)} "
          f"formats: {tally['refused']} of them refused by name, {tally['warned']} done with a "
          f"warning, {tally['same']} done and not harmed, {tally['other']} done with other samples "
          f"in silence, {tally['agreed']} of these as ffmpeg has them; every other output right; "
          f"{tally['peak'] >> 20} MiB at most")


class Media:
    """A whole input of each format, what ffmpeg decodes it to, and the outputs that it gives."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        with open(options.avjob, "rb") as file:
            program = file.read()
        # A sanitizer keeps memory of all memory.
        self.is_sanitized = b"__asan_init" in program or b"__tsan_init" in program
        make_media(folder, options.seconds)
        jobs, self.samples = {}, {}
        for kind, (suffix, settings) in FORMATS.items():
            name = f"whole-{kind}.{suffix}"
            tool("ffmpeg", "-nostdin", "-v", "error", "-y",
                 "-i", os.path.join(folder, "noise.wav"), "-strict", "-2", *settings,
                 os.path.join(folder, name))
            samples, is_silent = decoded(os.path.join(folder, name))
            if not is_silent or len(samples) < 1000:
                # Too short to be known from its bytes, or to hold anything beside the delay.
                print(f"broken: {kind} left out: of {options.seconds} s not even ffmpeg reads it")
                continue
            self.samples[kind] = samples
            for output in "wav", "flac":
                jobs[f"{kind}-{output}"] = job(f"{kind}-{output}", name, output)
        batch = Batch(options.avjob, folder, jobs, options.options)
        batch.write_job_file()
        batch.prepare()
        self.outputs = batch.expected
        self.kinds = [*self.samples]

    def bytes(self, kind):
        with open(os.path.join(self.folder, f"whole-{kind}.{FORMATS[kind][0]}"), "rb") as file:
            return file.read()

    def output(self, kind, suffix):
        """The digest of what a whole input gives."""
        return self.outputs[f"out/{kind}-{suffix}.{suffix}"]


def break_some(media, dice, tally):
    raw = os.path.join(media.folder, "raw")
    shutil.rmtree(raw, ignore_errors=True)
    os.makedirs(raw)
    jobs, kinds, ways = {}, {}, {}
    broken = set(dice.sample(range(200), 40))
    for number in range(200):
        name, kind, suffix = f"j{number:03}", dice.choice(media.kinds), dice.choice(["wav", "flac"])
        data = media.bytes(kind)
        if number in broken:
            way = dice.choice(WAYS)
            data, ways[name] = way(data, dice), way.__name__
        clip = f"raw/{number:03}-{kind}.{FORMATS[kind][0]}"
        with open(os.path.join(media.folder, clip), "wb") as file:
            file.write(data)
        jobs[name], kinds[name] = job(f"{number:03}", clip, suffix), (kind, suffix)
    batch = Batch(media.options.avjob, media.folder, jobs, media.options.options)
    batch.write_job_file()
    batch.reset()
    status, screen = run(batch, ways)
    tally["peak"] = max(tally["peak"], batch.peak)
    require(batch.peak <= MEMORY or media.is_sanitized, "took", batch.peak >> 20, "MiB")
    found, told = set(batch.found()), collections.Counter()
    for name, job_ in jobs.items():
        clip, output = job_["clip"], job_["outputs"][0]
        if name in ways:
            try:
                told[judge(media, batch, name, kinds[name], output in found, screen)] += 1
            except Fault as problem:
                raise Fault(f"{clip}, by {ways[name]}: {problem}")
            continue
        require(output in found, clip, "is whole and was not done:", mentions(clip, screen))
        require(digest(batch.path(output)) == media.output(*kinds[name]), output,
                "is not what it is elsewhere")
        require(not mentions(clip, screen), "of", clip, "is said", mentions(clip, screen))
    refused = told["refused"]
    require(status == (1 if refused else 0), "gave", status, "with", refused, "refused")
    require(not refused or screen.endswith(f"\n{refused} of 200 jobs failed\n"),
            "says at the end", screen[-200:])
    require(len(found) == 200 - refused, "there are", len(found), "outputs")
    batch.require_no_temporaries()
    tally.update(told)
    tally["other"] += told["agreed"]


def run(batch, suspects):
    """Status and screen of a batch. Where it dies or does not end, says which inputs do that alone."""
    try:
        status, screen = batch.run(seconds=PATIENCE)
        if status in (0, 1):
            return status, screen
        problem = f"gave {status}: {screen[-2000:]}"
    except Fault as late:
        problem = late
    culprits = []
    for name in suspects:
        batch.reset()
        try:
            status, _ = batch.run("--only", name, seconds=PATIENCE / 6)
        except Fault:
            status = "no end"
        if status not in (0, 1):
            culprits.append(f"{batch.jobs[name]['clip']}, by {suspects[name]}: {status}")
    raise Fault(f"{problem}\nalone: {culprits}")


def judge(media, batch, name, kind, is_done, screen):
    """What became of one damaged input."""
    kind, suffix = kind
    clip, output = batch.jobs[name]["clip"], batch.jobs[name]["outputs"][0]
    said = mentions(clip, screen)
    samples, is_silent = decoded(batch.path(clip))
    where = rf"(?m)^(?:.*/)?job\.yaml:{batch.lines[name]}:11: "
    what = rf": '(?:[^'\n]*/)?{re.escape(clip)}': "
    if not is_done:
        # Or the output, which cannot hold what a header claims: at its own line, two below.
        other = rf"(?m)job\.yaml:{batch.lines[name] + 2}:\d+: error: '(?:[^'\n]*/)?{output}': "
        require(re.search(where + "error" + what, screen) or re.search(other, screen),
                "no error names it:", said or screen)
        require(not (is_silent and samples == media.samples[kind]),
                "is refused, where ffmpeg finds all of its sound and no fault:", said)
        return "refused"
    is_warned = re.search(where + "warning" + what, screen) is not None
    require(is_warned == bool(said), "is spoken of without its line:", said)
    made, is_sound = decoded(batch.path(output))
    require(is_sound and made, output, "holds no sound, or no whole sound")
    if is_warned:
        return "warned"
    if digest(batch.path(output)) == media.output(kind, suffix):
        return "same"
    whole = media.samples[kind]
    # An end that is shorter by a tenth of a second is no news: headers round.
    is_short = whole.startswith(made) and len(whole) - len(made) <= TENTH
    require(kind not in GUARDED or is_short,
            "came out otherwise, in silence, against its checksums")
    if kind in EXACT and is_silent:
        require(made == samples, "came out otherwise than ffmpeg has it, in silence")
        return "agreed"
    return "other"


def mentions(clip, screen):
    """The lines that speak of an input, but for notes on what stands in no output."""
    return "\n".join(line for line in screen.split("\n")
                     if clip + "'" in line and ": note: " not in line)


def decoded(path):
    """What ffmpeg finds, as WAV with 32-bit floats, and whether it found no fault."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-err_detect", "crccheck", "-i", path, "-map", "0:a:0",
         "-map_metadata", "-1", "-bitexact", "-c:a", "pcm_f32le", "-f", "wav", "-"],
        stdin=subprocess.DEVNULL, capture_output=True)
    return result.stdout, result.returncode == 0 and not result.stderr


# ---- Ways to damage a file ---------------------------------------------------------------------


def cut_short(data, dice):
    return data[:dice.randrange(len(data))]


def one_byte(data, dice):
    return overwritten(data, [dice.randrange(len(data))], dice)


def fifty_bytes(data, dice):
    return overwritten(data, dice.choices(range(len(data)), k=50), dice)


def header_bytes(data, dice):
    return overwritten(data, [dice.randrange(min(len(data), 200)) for _ in range(8)], dice)


def one_bit(data, dice):
    place = dice.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << dice.randrange(8)]) + data[place + 1:]


def header_bit(data, dice):
    return one_bit(data[:200], dice) + data[200:]


def zeroed(data, dice):
    start, end = stretch(data, dice)
    return data[:start] + bytes(end - start) + data[end:]


def lost(data, dice):
    start, end = stretch(data, dice)
    return data[:start] + data[end:]


def repeated(data, dice):
    start, end = stretch(data, dice)
    return data[:end] + data[start:]


def beheaded(data, dice):
    return data[dice.randrange(1, min(len(data), 5000)):]


def trailed(data, dice):
    return data + dice.randbytes(dice.randrange(1, 5000))


WAYS = (cut_short, one_byte, fifty_bytes, header_bytes, one_bit, header_bit, zeroed, lost, repeated,
        beheaded, trailed)


def stretch(data, dice):
    """A range of some of its bytes, at most 5000."""
    start = dice.randrange(len(data))
    return start, min(len(data), start + dice.randrange(1, 5000))


def overwritten(data, places, dice):
    data = bytearray(data)
    for place in places:
        data[place] = dice.randrange(256)
    return bytes(data)
