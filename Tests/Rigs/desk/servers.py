"""A desktop's sound without a desktop: a session bus, and PulseAudio or PipeWire with a sink that
nobody hears, in folders of their own. Whatever is started ends with the process that started it.

    with Desk("pulse") as desk:
        subprocess.run(["avjob", "preview", "talk.wav"], env=desk.environment)

A server is one of SERVERS: `pulse` is PulseAudio, and programs reach it through alsa-lib's plugin
`pulse`; `pipewire` is PipeWire with WirePlumber, through alsa-lib's plugin `pipewire`;
`pipewire-pulse` is the same server, reached as if it were PulseAudio.
"""

import ctypes
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OWN = pathlib.Path(__file__).resolve().parent
SERVERS = ("pulse", "pipewire", "pipewire-pulse")
SINK = "desk"
RATE = 48000
PATIENCE = 15
# Unpacked, not installed: the first two would make the machine's own programs use PipeWire.
UNPACKED = ("pipewire-alsa", "pipewire-pulse", "mpv-mpris")
NEEDED = (
    "pulseaudio", "pactl", "parec", "pipewire", "wireplumber", "pw-record", "pw-cli", "pw-dump",
    "dbus-daemon")


class Trouble(Exception):
    """The rig itself does not work."""


def find_tools(*names):
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        raise Trouble(
            f"not found: {' '.join(missing)}; install pulseaudio pulseaudio-utils "
            "libasound2-plugins pipewire-bin wireplumber dbus-daemon playerctl mpv")


def unpack(folder):
    """Files of the packages in UNPACKED, by their names without folders."""
    for package in UNPACKED:
        target = pathlib.Path(folder) / package
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        # Renamed when it is whole, since others may unpack it, too.
        fresh = pathlib.Path(tempfile.mkdtemp(dir=target.parent))
        subprocess.run(["apt-get", "-q", "download", package], cwd=fresh, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        archive, = fresh.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", archive, fresh / "files"], check=True)
        try:
            os.rename(fresh / "files", target)
        except OSError:
            if not target.exists():
                raise
        shutil.rmtree(fresh)
    return {path.name: str(path) for package in UNPACKED
            for path in (pathlib.Path(folder) / package).rglob("*")
            if path.is_file() and not path.is_symlink()}


def end_with_parent():
    """For a child: it is killed when the thread that started it ends (prctl, PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_for(find, what, patience=PATIENCE):
    """What `find` finds in the end; it is asked again and again."""
    deadline = time.monotonic() + patience
    while not (found := find()):
        if time.monotonic() > deadline:
            raise Trouble(f"{what}: nothing within {patience} s")
        time.sleep(0.01)
    return found


class Desk:
    """A session with a bus, a sound server and a sink, for as long as it is entered.

    `environment` is for programs of the session; `children` are its processes by name."""

    def __init__(self, server, unpacked=None):
        if server not in SERVERS:
            raise Trouble(f"{server} is none of {' '.join(SERVERS)}")
        find_tools(*NEEDED)
        self.server = server
        self.is_pulse = server == "pulse"
        unpacked = unpacked or OWN.parents[2] / ".build" / "desk" / "packages"
        self.files = unpack(unpacked)
        self.children = {}
        self.module = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="avjob-desk-"))
        self.runtime = self.folder / "run"
        self.home = self.folder / "home"
        for folder in (self.runtime, self.home):
            folder.mkdir(mode=0o700)
        self.environment = self.make_environment()
        try:
            self.write_configuration()
            self.start_bus()
            self.start_server()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in reversed(list(self.children)):
            self.stop(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_environment(self):
        kept = {
            name: text for name, text in os.environ.items()
            if not name.startswith(("XDG_", "DBUS_", "PULSE_", "PIPEWIRE_", "ALSA_", "WAYLAND"))
            and name != "DISPLAY"}
        return {
            **kept, "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            # No system bus: WirePlumber would look for Bluetooth there.
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.runtime}/none",
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}

    def write_configuration(self):
        bus = (OWN / "dbus.conf").read_text().replace("@RUNTIME@", str(self.runtime))
        (self.folder / "dbus.conf").write_text(bus)
        if self.server == "pipewire":
            plugin = self.files["libasound_module_pcm_pipewire.so"]
            lines = (f'pcm_type.pipewire {{ lib "{plugin}" }}\n'
                     'pcm.!default { type pipewire playback_node "-1" capture_node "-1" }\n')
        else:
            lines = "pcm.!default { type pulse }\n"
        (self.home / ".asoundrc").write_text(lines)

    # ---- Processes ----

    def start(self, name, *command):
        log = open(self.folder / f"{name}.log", "ab")
        self.children[name] = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            cwd=self.folder, start_new_session=True, preexec_fn=end_with_parent)
        log.close()

    def stop(self, name, how=signal.SIGTERM):
        child = self.children.pop(name)
        if child.poll() is None:
            child.send_signal(how)
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def ask(self, *command, check=True):
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)
        if check and done.returncode:
            raise Trouble(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout.strip()

    def start_bus(self):
        self.start("bus", "dbus-daemon", f"--config-file={self.folder}/dbus.conf", "--nofork",
                   "--nopidfile", "--nosyslog")
        wait_for(lambda: (self.runtime / "bus").exists(), "dbus-daemon")

    # ---- The server ----

    def start_server(self):
        """The server with its sink, ready for programs."""
        if self.is_pulse:
            # As root it asks for no real-time thread unless told to.
            self.start("pulse", "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1",
                       "--realtime=yes", "--log-target=stderr", "-L",
                       "module-native-protocol-unix auth-anonymous=1")
            wait_for(lambda: self.ask("pactl", "info", check=False), "pulseaudio")
        else:
            self.start("pipewire", "pipewire", "-c", str(OWN / "pipewire.conf"))
            wait_for(lambda: (self.runtime / "pipewire-0").exists(), "pipewire")
            self.start("wireplumber", "wireplumber")
            if self.server == "pipewire-pulse":
                self.start("pipewire-pulse", "pipewire", "-c", self.files["pipewire-pulse.conf"])
                wait_for(lambda: self.ask("pactl", "info", check=False), "pipewire-pulse")
        self.add_sink()

    def kill_server(self):
        """As a crash does: no farewell to anybody."""
        for name in ("pipewire-pulse", "wireplumber", "pipewire", "pulse"):
            if name in self.children:
                self.stop(name, signal.SIGKILL)
        for path in (self.runtime / "pulse" / "native", self.runtime / "pulse" / "pid",
                     *self.runtime.glob("pipewire-0*")):
            path.unlink(missing_ok=True)

    def add_sink(self):
        if self.is_pulse:
            self.module = self.ask(
                "pactl", "load-module", "module-null-sink", f"sink_name={SINK}", "norewinds=1",
                f"rate={RATE}", "channels=2", "format=float32le")
            return
        self.ask("pw-cli", "create-node", "adapter",
                 "{ factory.name=support.null-audio-sink node.name=" + SINK +
                 " media.class=Audio/Sink object.linger=true audio.position=[FL FR]"
                 " audio.format=F32P monitor.channel-volumes=false priority.driver=30000 }")
        wait_for(self.node, "the sink")

    def node(self):
        """PipeWire's number of the sink; empty if it is not there."""
        lines = self.ask("pw-cli", "list-objects", "Node", check=False).splitlines()
        number = ""
        for line in lines:
            if line.strip().startswith("id "):
                number = line.split()[1].rstrip(",")
            if f'node.name = "{SINK}"' in line:
                return number
        return ""

    def remove_sink(self):
        if self.is_pulse:
            self.ask("pactl", "unload-module", self.module)
        elif number := self.node():
            self.ask("pw-cli", "destroy", number)
            wait_for(lambda: not self.node(), "the sink's end")

    def recorder(self, milliseconds):
        """A command that writes what the sink plays to its standard output, as float32 stereo."""
        if self.is_pulse:
            return ["parec", "--raw", "--format=float32le", f"--rate={RATE}", "--channels=2",
                    f"--latency-msec={round(milliseconds)}", "-d", f"{SINK}.monitor"]
        return ["pw-record", "--format", "f32", "--rate", str(RATE), "--channels", "2",
                "--latency", str(round(milliseconds * RATE / 1000)), "-P", "{ stream.capture.sink=true }",
                "--target", SINK, "-"]


if __name__ == "__main__":
    # To look around: servers.py SERVER [COMMAND…].
    with Desk(sys.argv[1]) as desk:
        sys.exit(subprocess.run(sys.argv[2:] or ["bash"], env=desk.environment).returncode)
