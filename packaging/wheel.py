"""Packs a folder of scripts/package as a wheel, so that pip, pipx and uv install a command that has
no Python in it.

usage: wheel.py FOLDER PLATFORM-TAG INTO

Prints the wheel's path. SOURCE_DATE_EPOCH gives all of its files their time, so that the same
folder gives the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import stat
import sys
import time
import zipfile

SUMMARY = "Cut, join, mix and compress sound, exact to the sample"


def main(folder: pathlib.Path, platform: str, into: pathlib.Path) -> None:
    version = python_version(folder.name.removeprefix("avjob-").rsplit("-linux-", 1)[0])
    info = f"avjob-{version}.dist-info"
    wheel = into / f"avjob-{version}-py3-none-{platform}.whl"
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name: str, content: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{name},sha256={digest.decode()},{len(content)}")

        data = f"avjob-{version}.data"
        add(f"{data}/scripts/avjob", (folder / "bin/avjob").read_bytes(), 0o755)
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.is_file() and name.parts[0] in ("lib", "share"):
                add(f"{data}/data/{name}", path.read_bytes())
        add(f"{info}/METADATA", metadata(version).encode())
        add(
            f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: avjob\nRoot-Is-Purelib: false\n"
            f"Tag: py3-none-{platform}\n".encode(),
        )
        listed = "".join(line + "\n" for line in record) + f"{info}/RECORD,,\n"
        add(f"{info}/RECORD", listed.encode())
    print(wheel)


def python_version(version: str) -> str:
    """A version as `git describe` writes it, in the form of PEP 440: 0.1.0-3-gabc is
    0.1.0.post3+gabc, which pip installs, and an index refuses."""
    found = re.fullmatch(r"(\d+(?:\.\d+)*)(?:-(\d+)-(g[0-9a-f]+))?", version)
    if found is None:
        sys.exit(f"wheel.py: '{version}' is no version that pip would take, such as 0.1.0")
    release, commits, commit = found.groups()
    return f"{release}.post{commits}+{commit}" if commit else release


def metadata(version: str) -> str:
    return f"""Metadata-Version: 2.4
Name: avjob
Version: {version}
Summary: {SUMMARY}
License-Expression: Apache-2.0 AND GPL-3.0-or-later
Requires-Python: >=3.8
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Multimedia :: Sound/Audio
Description-Content-Type: text/markdown

# avjob

{SUMMARY}: a batch media pipeline for Linux, described by small YAML files.

    uvx avjob init
    uvx avjob run job.yaml

The wheel holds the command and the libraries that it needs, FFmpeg among them; there is no Python
in it. What it is made of, and under which licences, `share/doc/avjob` says.
"""


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]))
