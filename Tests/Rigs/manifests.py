"""Holds what `avjob manifest` prints, and the repository's own files of this kind, to the schemas that
others have published: Kubernetes' API, GitHub's workflows, GitLab's pipelines.

usage: manifests.py AVJOB FOLDER, with kubernetes-validate and check-jsonschema at hand
"""

import json
import os
import subprocess
import sys

import yaml
from kubernetes_validate import latest_version, validate

JOBS = """
jobs:
  one: { clip: tone.wav, output: out/one.mp3 }
  two: { clip: tone.wav, output: two.flac }
  three: { clip: tone.wav, output: "odd: 'name' $(x)/three.wav" }
"""


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
    print(json.dumps(sorted(made)))


main()
