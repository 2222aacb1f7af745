"""Players on terminals of their own, and the keys that they obey."""

import contextlib
import fcntl
import os
import pty
import signal
import subprocess
import termios
import threading
import time

from servers import end_with_parent


class Terminal:
    """A process on a terminal of its own. Its screen is read, and the end of it is kept."""

    def __init__(self, arguments, environment, folder=None, size=(24, 80)):
        self.master, self.slave = pty.openpty()
        rows, columns = size
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ,
                    rows.to_bytes(2, "little") + columns.to_bytes(2, "little") + bytes(4))
        self.modes = termios.tcgetattr(self.slave)
        self.screen = b""
        self.process = subprocess.Popen(
            arguments, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment,
            cwd=folder, start_new_session=True, preexec_fn=self.prepare)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    @staticmethod
    def prepare():
        end_with_parent()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read(self):
        with contextlib.suppress(OSError):
            while block := os.read(self.master, 1 << 16):
                self.screen = (self.screen + block)[-1 << 16:]

    def type(self, keys):
        os.write(self.master, keys.encode())

    def is_restored(self):
        """Whether the terminal's modes are those from before the process."""
        return termios.tcgetattr(self.slave) == self.modes

    def end(self, keys="q", patience=10):
        """Ends the process by keys, and by force if it does not obey; returns its status."""
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                self.type(keys)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)


RIGHT, LEFT = "\x1b[C", "\x1b[D"
# Remote commands in place of keys (MPRIS): a method, or a property of Player, and its value. Seconds
# of a seek are microseconds there.
REMOTE = {
    "pause": (("PlayPause",),), "seek": (("Seek", 5_000_000), ("Seek", -5_000_000)),
    "volume": (("Volume", 0.8), ("Volume", 1.0)), "rate": (("Rate", 1.1), ("Rate", 1.0)),
    "next": (("Next",),)}


class AVJob:
    """`avjob preview`."""

    name = "avjob"
    # What a key does, and the keys that are pressed in turn.
    keys = {
        "pause": " ", "seek": (RIGHT, LEFT), "volume": ("-", "+"), "mute": "1",
        "rate": (">", "<"), "pan": (".", ","), "next": "n"}

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)

    def play(self, media, start=0, rate=1, loop=False):
        """The command for a medium, or several."""
        # Mute needs tracks: the same sound as a job.
        media = [media["job"]] if isinstance(media, dict) else media
        options = ["--from", f"{start}s"] if start else []
        options += ["--rate", str(rate)] if rate != 1 else []
        options += ["--loop"] if loop else []
        return [self.binary, "preview", *options, *media]


class AVJobRemote(AVJob):
    """`avjob preview`, steered over the session bus."""

    name = "avjob mpris"
    keys = REMOTE


class MPV:
    """mpv, with one of its outputs."""

    options = ()
    keys = {
        "pause": " ", "seek": (RIGHT, LEFT), "volume": ("9", "0"), "mute": "m",
        "rate": ("]", "["), "next": ">"}

    def __init__(self, output):
        self.output = output
        self.name = f"mpv {output}"

    def play(self, media, start=0, rate=1, loop=False):
        media = [media["place"]] if isinstance(media, dict) else media
        options = ["--no-config", "--no-video", "--keep-open=yes", f"--ao={self.output}",
                   f"--start={start}", f"--speed={rate}"]
        options += self.options
        return ["mpv", *options, *(["--loop-playlist=inf"] if loop else []), *media]


class MPVRemote(MPV):
    """mpv by alsa-lib, steered over the session bus, by the plugin of mpv-mpris."""

    keys = REMOTE

    def __init__(self, plugin):
        super().__init__("alsa")
        self.name, self.options = "mpv mpris", [f"--script={plugin}"]


def processor_seconds(process):
    """User and system, of all threads so far."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process):
    """Kilobytes in memory."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptors(process):
    """The open files of a process: how many of each kind."""
    counts = {}
    folder = f"/proc/{process.pid}/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            kind = os.readlink(f"{folder}/{name}").split(":[")[0].split(" (deleted)")[0]
            counts[kind] = counts.get(kind, 0) + 1
    return counts
