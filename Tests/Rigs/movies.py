"""Cuts and joins of movies by copying, held to the pictures and the sound that went in.

Each picture has its number as a bar code, and the sound is noise that never repeats, so that each place
of an output can be told. A cut must have the pictures that the job asks for, each once, at its time;
those that are copied must decode to the source's bits, by a second decoder too where there is one; those
that are encoded must be close to it; and the sound must be within a sample of its place.
"""

import json
import os
import subprocess

import numpy

from batch import Fault, require
from broken import WAYS

WIDTH, HEIGHT, RATE = 320, 180, 48000
BITS, BAR = 16, 20
# Half of a second in which the place of a sound is looked for.
REACH = 4000
LENGTH = 8192

X264 = ["-c:v", "libx264", "-bf", "3", "-g", "60"]
OPEN = ["-c:v", "libx264", "-bf", "3", "-g", "50", "-x264-params", "open-gop=1"]
X265 = ["-c:v", "libx265", "-x265-params", "keyint=60:open-gop=1:bframes=4:log-level=none"]
SPARSE = ["-vf", "select='not(mod(n,3))+gt(n,200)'", "-fps_mode", "vfr"]
# The movies by their names, and how ffmpeg makes them.
KINDS = {
    "h264.mp4": [*X264, "-c:a", "aac"],
    "cavlc.mp4": ["-c:v", "libx264", "-profile:v", "main", "-bf", "2", "-g", "60", "-x264-params",
                  "cabac=0", "-c:a", "aac"],
    "baseline.mp4": ["-c:v", "libx264", "-profile:v", "baseline", "-g", "60", "-c:a", "aac"],
    "high10.mp4": [*X264, "-pix_fmt", "yuv420p10le", "-c:a", "aac"],
    "vfr.mp4": [*X264, *SPARSE, "-c:a", "aac"],
    "fields.mp4": ["-c:v", "libx264", "-flags", "+ildct+ilme", "-bf", "2", "-g", "60", "-c:a", "aac"],
    "intra.mov": ["-c:v", "libx264", "-g", "1", "-c:a", "aac"],
    "open.mkv": [*OPEN, "-c:a", "flac"],
    "open.ts": [*OPEN, "-c:a", "mp2"],
    "hevc.mp4": [*X265, "-tag:v", "hvc1", "-c:a", "aac"],
    "hevc.mkv": [*X265, "-c:a", "flac"],
    "vp8.webm": ["-c:v", "libvpx", "-g", "60", "-cpu-used", "5", "-b:v", "600k", "-c:a", "libvorbis"],
    "vp9.webm": ["-c:v", "libvpx-vp9", "-g", "60", "-cpu-used", "5", "-b:v", "600k", "-c:a", "libopus"],
    "av1.mp4": ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "60", "-c:a", "aac"],
    "mpeg4.mp4": ["-c:v", "mpeg4", "-bf", "2", "-g", "60", "-q:v", "4", "-c:a", "aac"],
    "mpeg2.ts": ["-c:v", "mpeg2video", "-bf", "2", "-g", "15", "-q:v", "4", "-c:a", "mp2"],
    "mjpeg.mov": ["-c:v", "mjpeg", "-q:v", "3", "-c:a", "aac"],
    "prores.mov": ["-c:v", "prores_ks", "-profile:v", "1", "-c:a", "aac"],
}
# Which container outputs of one kind have, beside its own, where that is written.
CONTAINERS = {"mp4": ["mp4", "mov"], "mov": ["mov"], "mkv": ["mkv"], "ts": ["mp4"], "webm": ["webm"]}
# What decodes a second time: another library than FFmpeg's own decoder, by ffmpeg or of itself.
SECOND = {"vp8": "libvpx", "vp9": "libvpx-vp9", "av1": "libaom-av1"}
# The least that an encoded picture may be like its source, in decibels.
LIKENESS = 40


class Rig:
    """avjob and its judges, in a folder with movies of so many pictures."""

    def __init__(self, options, folder, count):
        self.options, self.folder = options, folder
        self.reference = make_sound(folder, count)
        make_pictures(folder, count)
        self.movies, self.offsets = {}, {}

    def output(self, *command):
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)
        require(done.returncode == 0, " ".join(command), done.stderr.decode(errors="replace"))
        return done.stdout, done.stderr.decode(errors="replace")

    def movie(self, name):
        if name not in self.movies:
            make_movie(self, name)
            self.movies[name] = Movie(self, name)
        return self.movies[name]

    def run(self, job):
        with open(os.path.join(self.folder, "job.yaml"), "w") as file:
            file.write(job)
        self.output(self.options.avjob, "run", "job.yaml", "--force", "--quiet",
                    *self.options.options)


# ---- What movies are made of -------------------------------------------------------------------


def make_sound(folder, pictures):
    """Noise with a click at each second; also what is found again in outputs."""
    dice = numpy.random.default_rng(7)
    count = pictures * 1001 * RATE // 30000
    noise = dice.normal(0, 0.06, count + 32)
    sound = numpy.convolve(noise, numpy.hanning(33) / 3.5, "same")[:count]
    for place in range(0, count - 240, RATE):
        sound[place:place + 240] += 0.7 * numpy.exp(-numpy.arange(240) / 40)
    samples = numpy.clip(sound * 32767, -32767, 32767).astype("<i2")
    with open(os.path.join(folder, "sound.s16"), "wb") as file:
        file.write(numpy.stack([samples, samples], 1).tobytes())
    return samples.astype(numpy.float32) / 32768


def make_pictures(folder, count):
    """A texture that moves, another each 97 pictures, below a bar code of the picture's number."""
    dice = numpy.random.default_rng(7)
    with open(os.path.join(folder, "pictures.yuv"), "wb") as file:
        for number in range(count):
            if number % 97 == 0:
                texture = numpy.kron(dice.integers(20, 230, (60, 100)), numpy.ones((8, 8)))
                for axis in (0, 1):
                    texture = sum(numpy.roll(texture, shift, axis) for shift in range(-4, 5)) / 9
                step = dice.integers(-3, 4, 2)
            moved = numpy.roll(texture, tuple(step * (number % 97)), (0, 1))[:HEIGHT, :WIDTH]
            luma = numpy.clip(16 + moved * 0.75 + dice.normal(0, 1.5, moved.shape), 16, 235)
            bars = numpy.array([number >> bit & 1 for bit in range(BITS)], bool).repeat(WIDTH // BITS)
            luma[:BAR], luma[BAR:2 * BAR] = numpy.where(bars, 235, 16), numpy.where(bars, 16, 235)
            chroma = numpy.full(HEIGHT // 2 * (WIDTH // 2), 128 + number % 40, numpy.uint8)
            file.write(luma.astype(numpy.uint8).tobytes() + 2 * chroma.tobytes())


def make_movie(rig, name):
    rig.output(
        "ffmpeg", "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
        f"{WIDTH}x{HEIGHT}", "-r", "30000/1001", "-i", "pictures.yuv", "-f", "s16le", "-ar", str(RATE),
        "-ac", "2", "-i", "sound.s16", *KINDS[name], name)


# ---- What is in a movie ------------------------------------------------------------------------


class Movie:
    """The numbers, lumas, bits and times of a movie's pictures, and its sound."""

    def __init__(self, rig, name):
        self.name = name
        said, self.complaints = rig.output(
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
            "stream=codec_name:packet=dts_time:frame=pts_time", "-of", "json", name)
        said = json.loads(said)
        self.codec = said["streams"][0]["codec_name"]
        facts = said["packets_and_frames"]
        self.times = [float(fact["pts_time"]) for fact in facts if fact["type"] == "frame"]
        self.decoding = [float(fact["dts_time"]) for fact in facts if "dts_time" in fact]
        self.pictures = self.decoded(rig)
        self.numbers = [number_of(picture) for picture in self.pictures]
        # Behind the silence that begins the file, if its sound does not.
        sound, complaints = rig.output(
            "ffmpeg", "-v", "error", "-copyts", "-i", name, "-map", "0:a:0", "-af",
            "aresample=async=1:first_pts=0", "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-")
        self.sound = numpy.frombuffer(sound, numpy.float32)
        self.complaints += complaints
        # Of the first samples: the first packet of Vorbis has none.
        start, _ = rig.output(
            "ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "frame=pts_time",
            "-read_intervals", "%+#8", "-of", "json", name)
        self.start = max(0, float(json.loads(start)["frames"][0]["pts_time"]))

    def decoded(self, rig, decoder=()):
        """The pictures in the order of showing, as arrays of bytes: luma, then chroma."""
        data, complaints = rig.output(
            "ffmpeg", "-v", "error", *decoder, "-i", self.name, "-map", "0:v:0", "-fps_mode",
            "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-")
        # Of a time that only the encoder of raw pictures minds.
        self.complaints += "".join(
            line for line in complaints.splitlines() if "Application provided" not in line)
        return numpy.frombuffer(data, numpy.uint8).reshape(-1, WIDTH * HEIGHT * 3 // 2)

    def border(self, time):
        """The picture whose start is nearest to a time; of two as near the later one."""
        ends = [*self.times[1:], self.times[-1] + 1001 / 30000]
        for index, (start, end) in enumerate(zip(self.times, ends)):
            if time < (start + end) / 2 - 1e-9:
                return index
        return len(self.times)

    def lag(self, reference, time, expected):
        """How many samples behind its place the sound at a time is; nil where there is too little."""
        start, place = round(time * RATE) + 100, round(expected * RATE) + 100
        piece = self.sound[start:start + LENGTH]
        low = max(0, place - REACH)
        near = reference[low:place + LENGTH + REACH]
        if len(piece) < LENGTH or len(near) < LENGTH:
            return None
        size = 1 << int(numpy.ceil(numpy.log2(len(near) + LENGTH)))
        product = numpy.fft.rfft(near, size) * numpy.conj(numpy.fft.rfft(piece, size))
        found = numpy.fft.irfft(product, size)[:len(near) - LENGTH + 1]
        return low + int(numpy.argmax(found)) - place


def number_of(picture):
    luma = picture[:WIDTH * 2 * BAR].reshape(2, BAR, BITS, WIDTH // BITS)
    means = luma[:, 4:-4, :, 4:-4].mean((1, 3))
    if abs(means[0] - means[1]).min() < 60:
        return -1
    return sum(1 << bit for bit in range(BITS) if means[0][bit] > means[1][bit])


def likeness(picture, other):
    """Of two pictures, in decibels."""
    luma = slice(0, WIDTH * HEIGHT)
    error = numpy.square(picture[luma].astype(float) - other[luma]).mean()
    return 10 * numpy.log10(255 ** 2 / max(error, 1e-9))


# ---- Cuts and joins ----------------------------------------------------------------------------


def join(rig, ranges, extension, tally):
    """Joins ranges of movies, (name, from, to), and judges what comes of it."""
    movies = [rig.movie(name) for name, _, _ in ranges]
    items = "".join(
        f"  - {{ clip: {name}, from: {start:.6f}s, to: {end:.6f}s }}\n" for name, start, end in ranges)
    rig.run(f"concat:\n{items}output: {{ file: out.{extension} }}\n")
    output = Movie(rig, f"out.{extension}")
    require(not output.complaints, "is complained of:", output.complaints)
    expected, moment = [], 0
    for movie, (name, start, end) in zip(movies, ranges):
        # The job's times begin with the sound.
        if name not in rig.offsets:
            rig.offsets[name] = movie.lag(rig.reference, 5 + movie.start, 5)
        borders = [movie.border(time + movie.start) for time in (start, end)]
        for index in range(*borders):
            time = moment + movie.times[index] - movie.start - start
            expected.append((movie, index, moment if index == borders[0] else time))
        lag = output.lag(rig.reference, moment, start + rig.offsets[name] / RATE)
        require(lag is None or abs(lag) <= 1, "has the sound of", name, lag, "samples late")
        moment += end - start
    wanted = [movie.numbers[index] for movie, index, _ in expected]
    require(output.numbers == wanted, "has the pictures", output.numbers, "and not", wanted)
    # Matroska counts milliseconds.
    grid = 0.0012 if extension in ("mkv", "webm") else 0.00003
    error = max((abs(one - two[2]) for one, two in zip(output.times, expected)), default=0)
    require(error <= grid, "has a picture", error, "s beside its time")
    require(all(one < two for one, two in zip(output.decoding, output.decoding[1:])),
            "is not in the order of decoding")
    judge_pictures(output, expected, tally)
    second = SECOND.get(output.codec)
    if second:
        other = output.decoded(rig, ["-c:v", second])
        require(numpy.array_equal(other, output.pictures), "decodes otherwise by", second)


def judge_pictures(output, expected, tally):
    for picture, (movie, index, _) in zip(output.pictures, expected):
        source = movie.pictures[index]
        if numpy.array_equal(picture, source):
            tally["copied"] += 1
            continue
        tally["encoded"] += 1
        decibels = likeness(picture, source)
        tally["likeness"] = min(tally.get("likeness", 99), decibels)
        require(decibels >= LIKENESS, "has picture", movie.numbers[index], "at", decibels, "dB")


def torture_movies(options, folder, dice):
    rig = Rig(options, folder, 480)
    kinds = list(KINDS)
    tally = {"copied": 0, "encoded": 0}
    last = rig.reference.size / RATE - 0.5

    def judge(ranges, number):
        suffix = ranges[0][0].split(".")[1]
        extension = CONTAINERS[suffix][number % len(CONTAINERS[suffix])]
        try:
            join(rig, ranges, extension, tally)
        except Fault as problem:
            raise Fault(f"out.{extension} of {ranges} {problem}")

    for number in range(options.rounds):
        start = dice.uniform(0.1, last - 1)
        end = dice.uniform(start + 0.05, last)
        judge([(kinds[number % len(kinds)], round(start, 6), round(end, 6))], number)
    joins = max(1, options.rounds // 5)
    for number in range(joins):
        ranges = []
        for _ in range(dice.randrange(2, 6)):
            start = dice.uniform(0.1, last - 4)
            ranges.append((kinds[number % len(kinds)], round(start, 6),
                           round(start + dice.uniform(0.3, 3), 6)))
        judge(ranges, number)
    print(f"movies: {options.rounds} cuts and {joins} joins of {len(kinds)} kinds have their pictures, "
          f"their times and their sound: {tally['copied']} pictures are the source's bits, "
          f"{tally['encoded']} were encoded, of {tally.get('likeness', 99):.1f} dB at least")


# ---- Mutants -----------------------------------------------------------------------------------


def torture_mutants(options, folder, dice):
    """Damaged movies, with other sound, cut, joined and encoded: refused by name, or done; nothing else."""
    rig = Rig(options, folder, 40)
    whole = {}
    for name in KINDS:
        make_movie(rig, name)
        with open(os.path.join(folder, name), "rb") as file:
            whole[name] = file.read()
    tally = {0: 0, 1: 0}
    for number in range(options.rounds):
        name = dice.choice(list(whole))
        way = dice.choice(WAYS)
        suffix = name.split(".")[1]
        broken = f"broken.{suffix}"
        with open(os.path.join(folder, broken), "wb") as file:
            file.write(way(whole[name], dice))
        start = round(dice.uniform(0, 1), 3)
        item = f"{broken} {start}s..{round(start + dice.uniform(0.02, 0.3), 3)}s"
        output = f"out.{CONTAINERS[suffix][0]}"
        job = dice.choice([
            f"clip: {broken}\ngain: -3 dB\noutput: {output}\n",
            f"clip: {item}\noutput: {output}\n",
            f"concat: [{item}, {broken}, {name} 0.2s..0.9s]\noutput: {output}\n",
            f"clip: {item}\noutput: {{ file: out.mp4, video: {{ h264: crf 30, preset: ultrafast, "
            f"frame_rate: 10 }} }}\n"])
        try:
            tally[judge_mutant(rig, job)] += 1
        except Fault as problem:
            raise Fault(f"{broken} of round {number}, {name} by {way.__name__}, in\n{job}{problem}")
    print(f"mutants: {options.rounds} of {len(whole)} kinds: {tally[1]} refused by name, {tally[0]} "
          f"done with a picture")


def judge_mutant(rig, job):
    with open(os.path.join(rig.folder, "job.yaml"), "w") as file:
        file.write(job)
    output = os.path.join(rig.folder, "out.mp4" if "out.mp4" in job else job.split("output: ")[1].strip())
    if os.path.exists(output):
        os.remove(output)
    try:
        done = subprocess.run(
            [rig.options.avjob, "run", "job.yaml", "--force", "--quiet", *rig.options.options],
            cwd=rig.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        raise Fault("did not end within 60 s")
    screen = done.stderr.decode(errors="replace")
    # 2: its range is not there, as far as it can be read.
    require(done.returncode in (0, 1, 2), "gave", done.returncode, screen)
    if done.returncode:
        # What is damaged may be all that said that there is a picture.
        require("'broken." in screen or "moving picture" in screen,
                "was refused by no name:", screen)
        require(not os.path.exists(output), "left half a file:", screen)
        return 1
    streams, _ = rig.output("ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of",
                            "csv=p=0", output)
    require(b"video" in streams, "gave no picture")
    return 0
