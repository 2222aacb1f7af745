"""A run of many jobs on a cluster of two nodes: its outputs and its report are those of a run on this
machine, whatever happens to nodes, tasks, the controller, and whoever watches.
"""

import glob
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from batch import Fault, require
from copies import MUSIC

SERVER = os.path.join(os.path.dirname(__file__), "..", "Servers", "slurm-cluster")


class Cluster:
    """Slurm in a folder, for as long as the object is used."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = min(probe.getsockname()[1], 60000)
        self.environment = {**os.environ, "SLURM_CONF": f"{folder}/slurm.conf"}
        self.call("up", str(port))

    def call(self, command, *words):
        subprocess.run([SERVER, command, self.folder, *words], check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def processes(self, node, name):
        """The processes of a node's tasks, or by the name `slurmd` the node itself, or by that of
        `slurmstepd` those that watch its tasks."""
        if name == "slurmstepd":
            found = []
            for number in self.processes(node, "avjob"):
                with open(f"/proc/{number}/stat", encoding="utf-8") as file:
                    found.append(int(file.read().rsplit(")", 1)[1].split()[1]))
            return found
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(f"{path}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"{path}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
            except OSError:
                continue
            program = os.path.basename(words[0]).decode()
            own = f"SLURMD_NODENAME={node}".encode() in variables
            if program == name and (own or name == "slurmd" and node.encode() in words):
                found.append(int(os.path.basename(path)))
        return found

    def kill(self, node, *names):
        for name in names:
            for number in self.processes(node, name):
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass


class Work:
    """A folder with a job file, made anew for each scene."""

    def __init__(self, options, folder, jobs):
        self.avjob, self.folder = options.avjob, folder
        os.makedirs(folder)
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-ss", "3", "-t", "12", "-i", MUSIC,
                        f"{folder}/music.wav"], check=True)
        lines = ["jobs:"]
        for number in range(jobs):
            start = number % 7
            lines.append(f"  job-{number:03}: {{ clip: music.wav {start}s..{start + 5}s, "
                         f"output: out/{number:03}.mp3 }}")
        lines.append("  last: { clip: out/000.mp3, output: out/last.flac }")
        with open(f"{folder}/job.yaml", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def start(self, cluster, *words):
        return subprocess.Popen([self.avjob, *words], cwd=self.folder, env=cluster.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, cluster, *words, status=0):
        process = self.start(cluster, *words)
        text, errors = process.communicate(timeout=600)
        require(process.returncode == status, f"{words}: {process.returncode}, not {status}:", errors)
        return text, errors

    def outputs(self):
        found = {}
        for path in glob.glob(f"{self.folder}/out/*"):
            with open(path, "rb") as file:
                found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
        return found

    def report(self, name="r.json"):
        """What two runs have in common."""
        with open(f"{self.folder}/{name}", encoding="utf-8") as file:
            report = json.load(file)
        for member in ("started", "elapsed", "machine", "shards"):
            report.pop(member, None)
        for job in report["jobs"]:
            for member in ("start", "elapsed", "speed", "number", "part"):
                job.pop(member, None)
        return report

    def events(self):
        """The jobs that each start of a task has finished."""
        found = {}
        for path in glob.glob(f"{self.folder}/.avjob/runs/*/*.events"):
            with open(path, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
            found[os.path.basename(path)] = [
                line["name"] for line in lines if line["event"] == "finished"]
        return found

    def wait_for(self, count):
        """Until so many jobs are done."""
        end = time.monotonic() + 120
        while sum(map(len, self.events().values())) < count:
            require(time.monotonic() < end, f"{count} jobs are not done in two minutes")
            time.sleep(0.05)

    def forget(self):
        for name in (".avjob", "out"):
            shutil.rmtree(f"{self.folder}/{name}", ignore_errors=True)


ON = ["run", "--on", "slurm", "--shards", "2", "--cores", "2", "-q", "--report", "r.json", "job.yaml"]


def whole(work, cluster, expected):
    """Bytes, report and time."""
    start = time.monotonic()
    work.run(cluster, *ON)
    seconds = time.monotonic() - start
    require(work.outputs() == expected["outputs"], "outputs differ")
    require(work.report() == expected["report"], "reports differ")
    limit = expected["seconds"] * 1.05 + 10
    require(seconds < limit, f"{seconds:.1f} s, where {limit:.1f} s are allowed")
    return f"{seconds:.1f} s beside {expected['seconds']:.1f} s on one machine"


def lost_node(work, cluster, expected):
    """A node dies in the middle: its task starts anew on the other, and makes nothing twice."""
    process = work.start(cluster, *ON)
    work.wait_for(len(expected["outputs"]) // 4)
    cluster.kill("n1", "slurmstepd", "slurmd", "avjob")
    _, errors = process.communicate(timeout=600)
    cluster.call("node", "n1")
    require(process.returncode == 0, "status", process.returncode, errors)
    require(work.outputs() == expected["outputs"], "outputs differ")
    require(work.report() == expected["report"], "reports differ")
    finished = sum(work.events().values(), [])
    require(len(finished) == len(set(finished)), "a job was done twice")
    require(any(name.split(".")[1] == "1" for name in work.events()), "no task has started anew")


def lost_task(work, cluster, expected):
    """A task's process is killed: its jobs fail as what may pass, and another run makes the rest."""
    process = work.start(cluster, *ON)
    work.wait_for(len(expected["outputs"]) // 4)
    cluster.kill("n1", "avjob")
    _, errors = process.communicate(timeout=600)
    require(process.returncode == 75, "status", process.returncode, errors)
    require("has ended without a report" in errors, errors)
    made = {path: os.stat(path).st_ino for path in glob.glob(f"{work.folder}/out/*.mp3")}
    work.run(cluster, *ON)
    require(work.outputs() == expected["outputs"], "outputs differ")
    again = [path for path, inode in made.items() if os.stat(path).st_ino != inode]
    require(len(again) <= 2, "made twice:", again)


def lost_controller(work, cluster, expected):
    """The controller is away for some seconds."""
    process = work.start(cluster, *ON)
    work.wait_for(len(expected["outputs"]) // 4)
    with open(f"{cluster.folder}/controller.pid", encoding="utf-8") as file:
        os.kill(int(file.read()), signal.SIGKILL)
    time.sleep(5)
    cluster.call("controller")
    _, errors = process.communicate(timeout=600)
    require(process.returncode == 0, "status", process.returncode, errors)
    require(work.outputs() == expected["outputs"], "outputs differ")
    require(work.report() == expected["report"], "reports differ")


def full_disk(work, cluster, expected):
    """One node sees a disk without room: its share is refused there, and the other's is made."""
    os.makedirs(f"{work.folder}/out")
    cluster.kill("n2", "slurmd")
    subprocess.run(
        ["unshare", "--mount", "sh", "-c",
         'mount -t tmpfs -o size=64k none "$1" && slurmd -N n2', "sh", f"{work.folder}/out"],
        check=True, env=cluster.environment)
    time.sleep(1)
    _, errors = work.run(cluster, *ON, status=2)
    require("free" in errors, errors)
    made = work.outputs()
    require(0 < len(made) < len(expected["outputs"]), len(made), "outputs")
    require(made.items() <= expected["outputs"].items(), "outputs differ")
    cluster.kill("n2", "slurmd")
    cluster.call("node", "n2")
    time.sleep(1)
    work.run(cluster, *ON)
    require(work.outputs() == expected["outputs"], "outputs differ")


def interrupted(work, cluster, expected):
    """Ctrl-C stops all tasks; then another run makes the rest."""
    process = work.start(cluster, *ON)
    work.wait_for(len(expected["outputs"]) // 4)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    require(process.returncode == 130, "status", process.returncode, errors)
    require("to resume: avjob run --on slurm" in errors, errors)
    require(cluster.ask("squeue", "--noheader") == "", "tasks are left")
    left = [name for name in os.listdir(f"{work.folder}/out") if name.startswith(".")]
    require(not left and work.outputs().items() <= expected["outputs"].items(), "left:", left)
    report = work.report()
    require(report["exit_status"] == 130, report["exit_status"])
    work.run(cluster, *ON)
    require(work.outputs() == expected["outputs"], "outputs differ")


def left_alone(work, cluster, expected):
    """A second Ctrl-C leaves; somebody else attaches, twice, and sees all of it."""
    number = work.run(cluster, *ON[:-3], "--detach", "job.yaml")[0].strip()
    first = work.start(cluster, "attach", number, "-q", "--report", "a.json")
    work.run(cluster, "attach", number, "-q", "--report", "r.json")
    _, errors = first.communicate(timeout=60)
    require(first.returncode == 0, errors)
    work.run(cluster, "attach", number, "-q", "--report", "late.json")
    require(work.outputs() == expected["outputs"], "outputs differ")
    for name in ("r.json", "a.json", "late.json"):
        report = work.report(name)
        for known, found in zip(expected["report"]["jobs"], report["jobs"]):
            for one, other in zip(known["outputs"], found["outputs"]):
                # Levels are measured for a report that is asked for at the start.
                one = {key: value for key, value in one.items() if key != "loudness"}
                require(one == other, name, other)
        require(report["totals"] == expected["report"]["totals"], name)


SCENES = [whole, lost_node, lost_task, lost_controller, full_disk, interrupted, left_alone]


def torture_cluster(options, folder, _):
    """Each scene in its turn; `rounds` times all of them."""
    if not shutil.which("slurmctld"):
        raise Fault("Slurm is not installed: apt-get install slurm-wlm munge")
    cluster = Cluster(os.path.join(folder, "slurm"))
    try:
        work = Work(options, os.path.join(folder, "work"), 400)
        start = time.monotonic()
        work.run(cluster, "run", "-q", "--report", "r.json", "job.yaml")
        expected = {"seconds": time.monotonic() - start, "outputs": work.outputs(),
                    "report": work.report()}
        require(len(expected["outputs"]) == 401, "outputs:", len(expected["outputs"]))
        for _ in range(options.rounds):
            for scene in SCENES:
                work.forget()
                said = scene(work, cluster, expected)
                print(f"{scene.__name__}: {said or 'as it should be'}", flush=True)
    finally:
        cluster.call("down")
        # The controller writes its state at its end.
        time.sleep(2)
