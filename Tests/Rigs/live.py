"""Measures what avjob does while it is heard, with a sound card that is not there (paced.c).

  live.py start ROUNDS PLUGIN COMMAND… [-- COMMAND…]…
      milliseconds from a process's start until its card runs, or until its end where it plays
      nothing: for each command the median, of so many rounds in which they take turns
  live.py stream ROUNDS PLUGIN SERVER COMMAND…
      milliseconds from the first byte of a body that SERVER (fault_server.py) sends until the card
      runs, and from the process's start; medians of so many rounds, each with an empty AVJOB_CACHE
  live.py seek COUNT PLUGIN SECONDS COMMAND…
      milliseconds from a key until the card runs at the new place, for places in the first so many
      seconds: the median, and the worst
  live.py play SECONDS PLUGIN plain|screen SOUND|- COMMAND…
      for so many seconds of real time: processor time in per cent of a core, memory at its peak in
      kB, the xruns that it tells, and those of the card; on a terminal, or not; beside an encoder
      of SOUND on each core, if one is named
  live.py record SECONDS PLUGIN SOUND FILE COMMAND…
      of a recording of SOUND: processor time, memory, and the seconds of FILE that can be played
      after a `kill -9` that comes so long after the first sample

Each prints one line, and works in the present folder.
"""

import contextlib, fcntl, json, os, random, re, shutil, signal, statistics, subprocess, sys, termios
import threading, time, urllib.request

CONFIGURATION = "live.conf"
LOG = "live.log"
PATIENCE = 120


def fail(text):
    sys.exit(f"live.py: {text}")


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def configure(plugin, sound=None):
    """Makes a card that is named `default`, and forgets what happened to it before."""
    file = f'file "{os.path.abspath(sound)}" loop yes' if sound else ""
    with open(CONFIGURATION, "w") as configuration:
        configuration.write(
            f'pcm_type.avpaced {{ lib "{os.path.abspath(plugin)}" }}\n'
            f'pcm.default {{ type avpaced log "{os.path.abspath(LOG)}" {file} }}\n'
        )
    with contextlib.suppress(FileNotFoundError):
        os.remove(LOG)


def environment():
    return {
        **os.environ, "ALSA_CONFIG_PATH": os.path.abspath(CONFIGURATION), "TERM": "xterm",
        "SWIFT_BACKTRACE": "enable=no",
    }


def events(since=0):
    """Names and times of what happened to the card after a moment; whole lines only."""
    try:
        with open(LOG) as log:
            lines = log.read().split("\n")[:-1]
    except FileNotFoundError:
        return []
    words = [line.split() for line in lines]
    return [(word[0], int(word[1])) for word in words if int(word[1]) > since]


def wait_for(find, process):
    """What `find` finds in the end; it is asked again and again, while a process runs."""
    deadline = time.monotonic() + PATIENCE
    while (found := find()) is None:
        if process.poll() is not None:
            fail(f"{process.args} ended, with {process.returncode}")
        if time.monotonic() > deadline:
            fail(f"nothing came within {PATIENCE} s; the card's log has {events()[-5:]}")
        time.sleep(0.001)
    return found


def first(name, since=0):
    return next((at for event, at in events(since) if event == name), None)


def end(process):
    """Asks a process to end, and sees to it that it does."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        fail("it did not end by SIGTERM within 10 s")


def spawn(arguments, output=subprocess.DEVNULL):
    return subprocess.Popen(
        arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        env=environment())


class Terminal:
    """A process on a terminal of its own, whose screen nobody looks at."""

    def __init__(self, arguments):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, b"\x18\0\x50\0\0\0\0\0")
        self.process = subprocess.Popen(
            arguments, stdin=slave, stdout=slave, stderr=slave, env=environment(),
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.screen = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError):
            while block := os.read(self.master, 1 << 16):
                self.screen += block

    def type(self, keys):
        os.write(self.master, keys.encode())


# ---- What is measured --------------------------------------------------------------------------


def take_time(plugin, command):
    """Nanoseconds until there is sound, or else until the end, which must be a good one."""
    configure(plugin)
    before = now()
    process = spawn(command)
    at = wait_for(lambda: first("start") or (process.poll() == 0 and now()) or None, process)
    if process.poll() is None:
        end(process)
    return at - before


def start(rounds, plugin, *words):
    commands = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    rounds = [[take_time(plugin, command) for command in commands] for _ in range(int(rounds))]
    print(*(f"{statistics.median(times) / 1e6:.1f}" for times in zip(*rounds)))


def stream(rounds, plugin, server, *command):
    times = []
    for _ in range(int(rounds)):
        shutil.rmtree(os.environ["AVJOB_CACHE"], ignore_errors=True)
        ask(server, "_reset")
        configure(plugin)
        before = now()
        process = spawn(command)
        heard = wait_for(lambda: first("start"), process)
        end(process)
        sent = min(it["began"] for it in json.loads(ask(server, "_counts")) if "began" in it)
        times.append((heard - sent, heard - before))
    print(*(f"{statistics.median(column) / 1e6:.1f}" for column in zip(*times)))


def ask(server, name):
    with urllib.request.urlopen(f"{server}/{name}") as answer:
        return answer.read()


def seek(count, plugin, seconds, *command):
    configure(plugin)
    dice = random.Random(20241122)
    terminal = Terminal(command)
    wait_for(lambda: first("start"), terminal.process)
    # Its screen, and what could wait for the first sound, come behind that.
    time.sleep(2)
    times = []
    for _ in range(int(count)):
        terminal.type(f"g{dice.uniform(0, float(seconds)):.3f}s")
        time.sleep(0.3)
        before = now()
        terminal.type("\r")
        dropped = wait_for(lambda: first("drop", before), terminal.process)
        times.append(wait_for(lambda: first("start", dropped), terminal.process) - before)
    end(terminal.process)
    print(f"{statistics.median(times) / 1e6:.1f} {max(times) / 1e6:.1f}")


def used(process):
    """Seconds of processor time, user and system, of all threads so far."""
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(process):
    """Kilobytes in memory at the most, so far."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmHWM:\s*(\d+)", status.read())[1])


def observe(process, seconds):
    """Per cent of a core, and kilobytes, of so many seconds that begin now."""
    before, began = used(process), time.monotonic()
    time.sleep(float(seconds))
    return 100 * (used(process) - before) / (time.monotonic() - began), peak(process)


@contextlib.contextmanager
def busy(sound):
    """Encoders that keep all cores busy."""
    running, ends = {}, threading.Event()

    def encode(number):
        while not ends.is_set():
            running[number] = subprocess.Popen(["lame", "--quiet", "-V2", sound, os.devnull])
            running[number].wait()

    threads = [
        threading.Thread(target=encode, args=[number])
        for number in (range(len(os.sched_getaffinity(0))) if sound else [])
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        while any(thread.is_alive() for thread in threads):
            for process in list(running.values()):
                process.terminate()
            time.sleep(0.1)


def play(seconds, plugin, kind, sound, *command):
    configure(plugin)
    with busy(None if sound == "-" else sound), open("live.out", "w+") as output:
        if kind == "screen":
            terminal = Terminal(command)
            process = terminal.process
        else:
            process = spawn(command, output)
        wait_for(lambda: first("start"), process)
        # Behind the first sound comes what could wait for it.
        time.sleep(2)
        share, kilobytes = observe(process, seconds)
        end(process)
        output.seek(0)
        screen = terminal.screen.decode() if kind == "screen" else output.read()
    told = re.findall(r"(\d+) xrun|, (\d+) so far", screen)
    told = max((int(a or b) for a, b in told), default=0)
    happened = sum(name == "xrun" for name, _ in events())
    print(f"{share:.2f} {kilobytes} {told} {happened}")


def record(seconds, plugin, sound, file, *command):
    configure(plugin, sound)
    process = spawn(command)
    wait_for(lambda: first("transfer"), process)
    share, kilobytes = observe(process, seconds)
    process.kill()
    process.wait()
    decoded = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", file, "-f", "s16le", "-ac", "1", "-ar", "8000",
         "-"], stdout=subprocess.PIPE)
    print(f"{share:.2f} {kilobytes} {len(decoded.stdout) / 16000:.2f}")


if __name__ == "__main__":
    commands = {"start": start, "stream": stream, "seek": seek, "play": play, "record": record}
    if len(sys.argv) < 5 or sys.argv[1] not in commands:
        fail(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
