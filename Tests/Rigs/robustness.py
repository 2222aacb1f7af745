"""What avjob and its peers do with broken input, with a full disk and when they are killed.

usage: robustness.py AVJOB RECORDING.wav FOLDER

For each command: its exit status, and what lies at the output's path afterwards. Then whether the
same command gives the same bytes twice, and on one core.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

AVJOB, RECORDING, FOLDER = sys.argv[1:]
OUT = os.path.join(FOLDER, "disk")
# A disk that holds this much less than any of the outputs.
DISK = "2m"
CONVERT = ["ffmpeg", "-nostdin", "-v", "error", "-y"]


def tools(kind, source, target):
    """The usual commands from a file to MP3 or FLAC."""
    convert = [*CONVERT, "-i", source]
    mp3, flac = ["-c:a", "libmp3lame", "-q:a", "2"], ["-c:a", "flac"]
    ours = [AVJOB, "compress", source, "-o", target, "--force", "--quiet"]
    if kind == "mp3":
        return {
            "avjob compress": [*ours, "--mp3", "V2"],
            "ffmpeg": [*convert, *mp3, target],
            "ffmpeg -xerror": [*convert[:-2], "-xerror", *convert[-2:], *mp3, target],
            "sox": ["sox", source, "-C", "-2.0", target],
            "lame": ["lame", "--quiet", "-V2", source, target],
        }
    return {
        "avjob compress": [*ours, "--flac", "16 bit"],
        "ffmpeg": [*convert, *flac, target],
        "sox": ["sox", source, target],
        "flac": ["flac", "--silent", "-f", source, "-o", target],
    }


def enter_namespace():
    """Starts this anew where mounts are its own; where that is refused, no disk is filled."""
    if os.environ.get("ROBUSTNESS_NAMESPACE"):
        return
    for options in "-m", "-rm":
        attempt = ["unshare", options]
        mounts = subprocess.run(
            [*attempt, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
        if mounts.returncode == 0:
            os.environ["ROBUSTNESS_NAMESPACE"] = "1"
            os.execvp("unshare", [*attempt, sys.executable, *sys.argv])


def row(what, tool, *figures):
    print(f"{what:<35} {tool:<16}" + "".join(f" {figure:<26}" for figure in figures), flush=True)


def seconds_of(name):
    """How long a file plays, by ffmpeg's decoder."""
    sound = subprocess.run(
        [*CONVERT, "-i", name, "-ar", "8000", "-ac", "1", "-f", "u8", "-"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=False)
    return len(sound.stdout) / 8000


def found(target, older=None):
    """What lies at the output's path."""
    if not os.path.exists(target):
        others = os.listdir(OUT)
        return "nothing" if not others else f"nothing; beside it {len(others)} unfinished"
    with open(target, "rb") as file:
        if older is not None and file.read() == older:
            return "the older file"
    if os.stat(target).st_size == 0:
        return "an empty file"
    return f"a file of {seconds_of(target):.0f} s"


def empty():
    for name in os.listdir(OUT):
        os.unlink(os.path.join(OUT, name))


def status_of(code):
    return f"signal {-code}" if code < 0 else str(code)


def call(command):
    with open(os.path.join(FOLDER, "log"), "ab") as log:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False).returncode


# ---- Input -------------------------------------------------------------------------------------


def make_inputs():
    """Sixty seconds, whole and broken, by what is wrong with them."""
    def name(extension):
        return os.path.join(FOLDER, extension)

    whole = {kind: name(f"whole.{kind}") for kind in ("wav", "flac", "mp3")}
    subprocess.run([*CONVERT, "-i", RECORDING, "-t", "60", whole["wav"]], check=True)
    subprocess.run([*CONVERT, "-i", whole["wav"], whole["flac"]], check=True)
    subprocess.run(["lame", "--quiet", "-V2", whole["wav"], whole["mp3"]], check=True)
    inputs = {}
    for kind in "wav", "flac", "mp3":
        with open(whole[kind], "rb") as file:
            data = bytearray(file.read())
        half = name(f"half.{kind}")
        with open(half, "wb") as file:
            file.write(data[:len(data) // 2])
        inputs[f"half a {kind.upper()} of 60 s"] = half
        if kind == "flac":
            data[len(data) // 2:len(data) // 2 + 4096] = bytes(4096)
            with open(name("hole.flac"), "wb") as file:
                file.write(data)
            inputs["a FLAC with 4 kB of zeros"] = name("hole.flac")
    with open(name("text.wav"), "w", encoding="utf-8") as file:
        file.write("no sound\n" * 1000)
    inputs["a text named .wav"] = name("text.wav")
    with open(name("empty.wav"), "wb"):
        pass
    inputs["an empty file named .wav"] = name("empty.wav")
    inputs["a file that is not there"] = name("missing.wav")
    return inputs


def measure_inputs():
    row("broken input, to MP3", "command", "exit status", "at the output's path")
    target = os.path.join(OUT, "out.mp3")
    for what, source in make_inputs().items():
        for tool in tools("mp3", source, target):
            if tool == "lame" and source.endswith(".flac"):
                continue
            empty()
            status = call(tools("mp3", source, target)[tool])
            row(what, tool, status_of(status), found(target))


# ---- Full disks and signals --------------------------------------------------------------------


def measure_disks():
    if not os.environ.get("ROBUSTNESS_NAMESPACE"):
        print("full disk: left out, since this user may not mount a file system")
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", OUT], check=True)
    for older in None, b"an older file\n":
        what = "full disk" if older is None else "full disk, over an older file"
        for kind in "mp3", "flac":
            target = os.path.join(OUT, "out." + kind)
            for tool, command in tools(kind, RECORDING, target).items():
                empty()
                if older is not None:
                    with open(target, "wb") as file:
                        file.write(older)
                status = call(command)
                row(f"{what}, {kind}", tool, status_of(status), found(target, older))
    empty()
    subprocess.run(["umount", OUT], check=True)


def measure_signals():
    for name in "SIGINT", "SIGTERM", "SIGKILL":
        target = os.path.join(OUT, "out.mp3")
        for tool, command in tools("mp3", RECORDING, target).items():
            if tool == "ffmpeg -xerror":
                continue
            empty()
            with open(os.path.join(FOLDER, "log"), "ab") as log:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                time.sleep(1.5)
                process.send_signal(getattr(signal, name))
                status = process.wait()
            row(f"{name} after 1.5 s, mp3", tool, status_of(status), found(target))
    empty()


# ---- The same bytes ----------------------------------------------------------------------------


def digest(target):
    with open(target, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def measure_bytes():
    row("the same bytes", "command", "a second run", "on one core")
    core = str(min(os.sched_getaffinity(0)))
    whole = os.path.join(FOLDER, "whole.wav")
    for kind in "mp3", "flac":
        target = os.path.join(OUT, "out." + kind)
        for tool, command in tools(kind, whole, target).items():
            if tool == "ffmpeg -xerror":
                continue
            digests = []
            for before in [], [], ["taskset", "-c", core]:
                empty()
                call([*before, *command])
                digests.append(digest(target))
            row(kind, tool, *("the same" if other == digests[0] else "OTHERS"
                              for other in digests[1:]))


def main():
    enter_namespace()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(OUT)
    measure_inputs()
    print()
    row("full disk of 2 MB, signals", "command", "exit status", "at the output's path")
    measure_disks()
    measure_signals()
    print()
    measure_bytes()


main()
