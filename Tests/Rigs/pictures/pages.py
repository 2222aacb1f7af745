"""The pages that pictures.py looks at: of a run of 500 outputs, of a plan, of 10,000 outputs."""

import copy
import json
import os
import subprocess

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Fixtures")
# Names that would be markup, scripts, templates or paths, if anything took them for these.
HOSTILE = [
    "</script><img src=x onerror=alert(1)>", "<!--<script>", "{{data}} {{script}} `x`",
    "\"quotes\" & 'more' &amp;", "\u202eright to left", "<SVG onload=alert(2)>",
]
FORMATS = ["wav", "flac", "mp3", "ogg"]
# Jobs with four outputs each.
PLAIN = 120
MEDIA = """
sox -D "$FIXTURES/feelings.ogg" -b 16 music.wav
sox -D music.wav before.wav trim 8 4
sox -D music.wav behind.wav trim 12 4
head -c 80 /dev/zero | sox -t raw -r 44100 -c 2 -b 16 -e signed - silence.wav
sox silence.wav behind.wav gap.wav
sox -D -n -r 44100 -c 2 -b 16 click.wav synth 1s square 1 gain -3
sox click.wav behind.wav clicked.wav
sox -D -n -r 8000 -c 1 -b 16 tone.wav synth 8 sine 1100 gain -6
ffmpeg -nostdin -v error -y -f lavfi -i testsrc=size=80x80 -frames:v 1 cover.png
"""


def jobs():
    """The jobs of the run, by name."""
    found = {}
    for number in range(PLAIN):
        start, name = number % 20, f"sound-{number:03}"
        clip = ["music.wav", "music.wav", f"{FIXTURES}/librivox-sonnet.mp3", f"{FIXTURES}/voice-8k.wav"]
        found[name] = {
            "clip": f"{clip[number % 4]} {start}s..+{1.5 + number % 3}s",
            "output": [f"out/{name}.{format}" for format in FORMATS]}
    for number, name in enumerate(HOSTILE):
        found[name] = {
            "clip": "before.wav ..2s", "metadata": {"title": name, "artist": name},
            "chapters": {"0s": name, "1s": name}, "output": f"out/{name.replace('/', '_')} {number}.flac"}
    found |= {
        "late": {"clip": "music.wav", "timeout": "1ms", "retries": 1, "output": "out/late.flac"},
        "missing": {"clip": "no such <b>.wav", "output": "out/missing.flac"},
        "after late": {"needs": "late", "clip": "before.wav", "output": "out/after.wav"},
        "After missing": {"needs": "missing", "clip": "before.wav", "output": "out/nothing.wav"},
        "loud": {"clip": "before.wav", "gain": "30 dB", "output": ["out/loud.mp3", "out/loud.flac"]},
        "levelled": {
            "clip": "music.wav 8s..+8s", "loudness": "apple-podcasts",
            "metadata": {"cover": "cover.png", "title": "T"},
            "chapters": {"0s": "Intro", "2.5s": "Middle", "6s": "End"},
            "output": ["out/levelled.wav", "out/levelled.mp3", "out/levelled.flac"]},
        "joined": {"concat": ["before.wav", "behind.wav", "gap.wav", "clicked.wav"],
                   "output": ["out/joined.flac", "out/joined.wav"]},
        "crossed": {"concat": ["before.wav", {"clip": "behind.wav", "crossfade": "500ms"}],
                    "output": ["out/crossed.flac", "out/crossed.mp3"]},
        "mixed": {
            "tracks": {"music": [{"clip": "before.wav"}, {"clip": "behind.wav", "crossfade": "1s"}],
                       "voice": [{"clip": f"{FIXTURES}/voice-8k.wav ..3s", "at": "2s"}]},
            "output": ["out/mixed.flac", "out/mixed.mp3"]},
        # A tone that passes full scale for 5 ms.
        "clicked": {
            "tracks": {"low": [{"clip": "tone.wav", "gain": "-20 dB"}],
                       "high": [{"clip": "tone.wav 1s..+5ms", "gain": "12 dB", "at": "1s"}]},
            "output": ["out/clicked.mp3"]},
        "tone": {"clip": "tone.wav", "output": ["out/tone.wav", "out/tone.flac"]},
    }
    return found


def write_jobs(path, jobs):
    """A job file with a line for each job."""
    with open(path, "w", encoding="utf-8") as file:
        lines = [f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(job, ensure_ascii=False)}\n"
                 for name, job in jobs.items()]
        file.write("jobs:\n" + "".join(lines))


def make_run(avjob, folder):
    """Runs the jobs in a folder, where `run.html`, `run.json` and `plan.html` are then."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["bash", "-euc", MEDIA], cwd=folder, check=True, env={**os.environ, "FIXTURES": FIXTURES})
    write_jobs(os.path.join(folder, "jobs.yaml"), jobs())
    report = run(avjob, folder, "run", "jobs.yaml", "--force")
    write_jobs(os.path.join(folder, "planned.yaml"),
               {name: job for name, job in jobs().items() if "missing" not in name})
    with open(os.path.join(folder, "plan.html"), "wb") as file:
        subprocess.run([avjob, "plan", "--format", "html", "planned.yaml"], cwd=folder, check=True, stdout=file,
                       stderr=subprocess.DEVNULL)
    return report


def run(avjob, folder, name, jobs, *options):
    """Runs the jobs of a file, with reports by a name; the one in JSON."""
    command = [avjob, "run", "--quiet", "--keep-going", *options, "--report", f"{name}.html",
               "--report", f"{name}.json", jobs]
    status = subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL).returncode
    with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert status == report["exit_status"] == 1, f"the run ended with {status}"
    return report


def merge(avjob, folder, report, page):
    """A page of a report, as if it were that of a run's only shard, or of the first of two."""
    path = os.path.join(folder, f"{page}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file)
    result = subprocess.run([avjob, "report", "merge", path, "--report", f"{page}.html"], cwd=folder,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert os.path.exists(os.path.join(folder, f"{page}.html")), result.stderr
    return os.path.join(folder, f"{page}.html")


def multiplied(report, outputs):
    """The report with its jobs again and again, until they have so many outputs."""
    many = copy.deepcopy(report)
    many["jobs"], count = [], 0
    for round in range(outputs):
        for number, job in enumerate(report["jobs"]):
            if count >= outputs:
                break
            job = copy.deepcopy(job)
            job["name"] += f" {round}"
            job["number"] = len(many["jobs"]) + 1
            for one in [job, *job.get("tries", [])]:
                if "start" in one:
                    one["start"] += round * report["elapsed"]
            many["jobs"].append(job)
            count += len(job["outputs"])
        if count >= outputs:
            break
    many["elapsed"] = report["elapsed"] * (round + 1)
    statuses = [job["status"] for job in many["jobs"]]
    done = [output for job in many["jobs"] if job["status"] == "done" for output in job["outputs"]]
    many["totals"] |= {
        "jobs": len(statuses), "outputs": len(done), "bytes": sum(one["bytes"] for one in done),
        **{status: statuses.count(status) for status in
           ("done", "up_to_date", "failed", "blocked", "cancelled", "not_started")}}
    many["shard"] = {"number": 1, "count": 1, "deal": "0"}
    return many
