"""Up to how many cores an hour's encode scales, by a simulation over measured costs of chunks.

Each chunk of an hour is exported alone, on one core, by the processor's clock; how much of that is
rendering, encoding, and what the job's own thread does for each chunk, is counted in instructions.
"""

import argparse
import heapq
import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections import deque

CORES = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64]
# Of stereo: the lengths of `LibAVCodec.grid` and `MP3Codec.grid`, in frames.
FORMATS = [
    ("FLAC 16 bit", "flac", "flac: 16 bit", 1 << 20),
    ("AAC 128k", "m4a", "aac: 128k", 1 << 22),
    ("Vorbis q5", "ogg", "vorbis: q5", 1 << 21),
    ("Opus 96k", "opus", "opus: 96k", (1 << 21) * 441 // 480),
    ("MP3 V2", "mp3", "mp3: V2", 1152 * 882),
]
HOUR = 3600 * 44100


class Rig:
    def __init__(self, avjob, material, folder):
        self.avjob, self.material, self.folder = avjob, material, folder

    def job(self, extension, words, start, end):
        path = os.path.join(self.folder, "job.yaml")
        with open(path, "w") as file:
            file.write(f"{{ clip: {self.material}/music-1h.wav, from: {start} samples, "
                       f"to: {end} samples, output: {{ file: o.{extension}, {words} }} }}\n")
        return [self.avjob, "run", path, "--force", "--quiet"]

    def seconds(self, command):
        """Processor time of a command on one core."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["taskset", "-c", "0"] + command, check=True, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def counted(self, command):
        """Instructions of a command on one core: all, those of encoding, those of rendering."""
        path = os.path.join(self.folder, "counts")
        subprocess.run(["taskset", "-c", "0", "valgrind", "-q", "--tool=callgrind",
                        f"--callgrind-out-file={path}"] + command, check=True, capture_output=True)
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path],
                              check=True, capture_output=True, text=True).stdout

        def most(pattern):
            found = re.findall(r"^\s*([\d,]+) .*" + pattern, text, re.MULTILINE)
            return max(int(number.replace(",", "")) for number in found)

        return most("PROGRAM TOTALS"), most(r"8Splicing5ChunkC7advance"), \
            most(r"ExportEngine8RendererC4pull")


def simulated(encoding, rendering, serial, cores):
    """The time of an export: chunks by their costs, and those of the job's own thread for each."""
    waiting, running, done = deque(), [], set()
    now, own, filled, collected, idle = 0.0, None, 0, 0, cores - 1
    count = len(encoding)
    while True:
        while idle and waiting:
            chunk = waiting.popleft()
            heapq.heappush(running, (now + encoding[chunk], chunk))
            idle -= 1
        if own is None:
            while collected in done:
                collected += 1
            if filled < count and filled - collected < cores + 1:
                own = (now + rendering + serial, filled, True)
            elif waiting:
                chunk = waiting.popleft()
                own = (now + encoding[chunk], chunk, False)
            elif not running:
                return now
        ends = [time for time, *_ in running[:1] + ([own] if own else [])]
        now = min(ends)
        while running and running[0][0] <= now:
            done.add(heapq.heappop(running)[1])
            idle += 1
        if own and own[0] <= now:
            _, chunk, is_filling = own
            if is_filling:
                waiting.append(chunk)
                filled += 1
            else:
                done.add(chunk)
            own = None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--avjob", required=True)
    parser.add_argument("--material", required=True)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="avjob-scaling-")
    try:
        rig = Rig(options.avjob, options.material, folder)
        print("| | encoding | rendering | own thread | bound | "
              + " | ".join(f"{cores} cores" for cores in CORES[1:]) + " |", flush=True)
        print("| --- " * (4 + len(CORES)) + "|")
        for name, extension, words, length in FORMATS:
            print("| " + " | ".join([name] + row(rig, extension, words, length)) + " |", flush=True)
    finally:
        shutil.rmtree(folder)


def row(rig, extension, words, length):
    # Beside a short export everything but the sound costs the same.
    start_up = min(rig.seconds(rig.job(extension, words, 0, 4410)) for _ in range(5))
    costs = [rig.seconds(rig.job(extension, words, start, min(HOUR, start + length))) - start_up
             for start in range(0, HOUR, length)]
    short = rig.counted(rig.job(extension, words, 0, 4410))
    long = rig.counted(rig.job(extension, words, 0, 60 * 44100))
    total, encoding, rendering = (b - a for a, b in zip(short, long))
    encoded, rendered = encoding / total, rendering / total
    own = 1 - encoded - rendered
    mean = sum(costs) / len(costs)
    pool = [cost * encoded for cost in costs]
    alone = simulated(pool, mean * rendered, mean * own, 1)
    times = []
    for cores in CORES[1:]:
        serial = simulated(pool, mean * rendered, mean * own, cores)
        # Where rendering would keep the others waiting, they take it over.
        shared = simulated([cost + mean * rendered for cost in pool], 0, mean * own, cores)
        times.append(min(serial, shared))
    return [f"{share * 100:.1f} %" for share in (encoded, rendered, own)] \
        + [f"{1 / own:.0f}×"] + [f"{alone / time:.1f}×" for time in times]


if __name__ == "__main__":
    main()
