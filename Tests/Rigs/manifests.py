"""Holds what `avjob manifest` prints, and the repository's own files of this kind, to the schemas that
others have published: Kubernetes' API, GitHub's workflows, GitLab's pipelines.

usage: manifests.py AVJOB FOLDER, with kubernetes-validate, check-jsonschema and cffconvert at hand
"""

import json
import os
import shutil
import subprocess
import sys

import yaml
from kubernetes_validate import latest_version, validate

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Files of the repository, and the schemas that check-jsonschema brings.
OWN = {
    "vendor.github-actions": ["action.yml"],
    "vendor.github-workflows": [".github/workflows/packages.yml", ".github/workflows/releases.yml"],
    "vendor.gitlab-ci": [".ci/gitlab.yml", "packaging/gitlab-ci.yml"],
    "vendor.github-issue-forms": [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml"],
    "vendor.github-issue-config": [".github/ISSUE_TEMPLATE/config.yml"],
}
UNITS = "packaging/systemd"

JOBS = """
jobs:
  one: { clip: tone.wav, output: out/one.mp3 }
  two: { clip: tone.wav, output: two.flac }
  three: { clip: tone.wav, output: "odd: 'name' $(x)/three.wav" }
"""


def check_own_files(avjob):
    for schema, files in OWN.items():
        subprocess.run(["check-jsonschema", "--builtin-schema", schema, *files], cwd=REPOSITORY, check=True)
    subprocess.run(["cffconvert", "--validate", "-i", "CITATION.cff"], cwd=REPOSITORY, check=True)
    with open(os.path.join(REPOSITORY, "CITATION.cff"), encoding="utf-8") as file:
        cited = yaml.safe_load(file)["version"]
    version = subprocess.run([avjob, "--version"], check=True, capture_output=True, text=True).stdout
    assert version.strip() == cited, f"CITATION.cff cites {cited}, and this is {version}"
    if shutil.which("systemd-analyze"):
        check_units()


def check_units():
    """The command that a unit starts, and its manual, must be there; any program stands for it."""
    folder = "units"
    os.makedirs(folder, exist_ok=True)
    for name in ("avjob.service", "avjob.timer"):
        with open(os.path.join(REPOSITORY, UNITS, name), encoding="utf-8") as file:
            text = file.read().replace("/usr/bin/avjob", "/usr/bin/true")
            text = text.replace("Documentation=man:avjob-run(1)\n", "")
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    found = subprocess.run(["systemd-analyze", "verify", "avjob.service", "avjob.timer"], cwd=folder,
                           capture_output=True, text=True)
    own = [line for line in (found.stdout + found.stderr).splitlines() if "avjob" in line]
    assert found.returncode == 0 and not own, own


def main():
    avjob, folder = map(os.path.abspath, sys.argv[1:3])
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=d=1",
                    "tone.wav"], check=True)
    with open("odd name: $(x).yaml", "w", encoding="utf-8") as file:
        file.write(JOBS)
    made = {}
    for engine in ("kubernetes", "github", "gitlab", "slurm"):
        for shards in ("1", "3"):
            name = f"{engine}-{shards}"
            text = subprocess.run(
                [avjob, "manifest", engine, "--shards", shards, "odd name: $(x).yaml", "--retry", "3"],
                check=True, capture_output=True, text=True).stdout
            made[name] = f"{name}.yaml"
            with open(made[name], "w", encoding="utf-8") as file:
                file.write(text)
            if engine == "kubernetes":
                # 1.33 is the first version in which all of it is beyond beta.
                for version in ("1.33", latest_version()):
                    validate(yaml.safe_load(text), version, strict=True)
            elif engine == "slurm":
                subprocess.run(["bash", "-n", made[name]], check=True)
            else:
                schema = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}[engine]
                subprocess.run(["check-jsonschema", "--builtin-schema", schema, made[name]], check=True)
    check_own_files(avjob)
    print(json.dumps(sorted(made)))


main()
