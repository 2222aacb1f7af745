"""avjob on a desktop's sound servers, without a desktop: how soon it obeys, beside mpv; whether it
survives its server; whether it keeps its memory.

  desk.py latency   from a process's start, and from a key, until it is heard: medians and worst
  desk.py cost      processor time while playing, at rates 1 and 1.5, with the screen
  desk.py fill      how little sound a device may hold, by alsa-lib alone (desk/fill.py)
  desk.py keys      1,000 random keys while the server dies and the sink is taken away
  desk.py memory    memory over time while playing
  desk.py devices   the server dies while playing, ten times; the terminal after each kind of end

Tests/Rigs/desk has the servers (PulseAudio, PipeWire), what listens to them, and their configuration.
Each command ends with status 1 if something does not hold.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile

# The repository is no place for what Python keeps of modules.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "desk"))

import media
from latency import measure_cost, measure_latency
from lives import try_devices, try_keys, watch_memory
from fill import measure_fill
from servers import SERVERS, Trouble

COMMANDS = {
    "latency": measure_latency, "cost": measure_cost, "fill": measure_fill, "keys": try_keys,
    "memory": watch_memory, "devices": try_devices}


def main():
    parser = argparse.ArgumentParser(
        prog="desk.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--avjob", required=True, type=os.path.abspath)
    parser.add_argument("--server", action="append", choices=SERVERS,
                        help="may be repeated; pulse and pipewire unless given")
    parser.add_argument("--player", action="append", help="as its table names it; may be repeated")
    parser.add_argument("--effect", action="append", help="of latency; may be repeated")
    parser.add_argument("--rounds", type=int, help="of latency 20, of devices 10, keys 1,000")
    parser.add_argument("--seconds", type=float, help="of memory and cost, 60 unless given")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--capture", type=float, default=5,
                        help="milliseconds of delay that the recorder asks for; 5 unless given")
    parser.add_argument("--lines", action="store_true", help="print bare figures, for scripts/bench")
    options = parser.parse_args()
    options.server = options.server or ["pulse", "pipewire"]
    # So that folders are removed, and whatever was started is ended, if this is ended itself.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("desk.py: ended by a signal"))
    options.folder = tempfile.mkdtemp(prefix="avjob-desk-media-")
    try:
        options.media = media.make(options.folder)
        failures = COMMANDS[options.command](options)
    except Trouble as trouble:
        sys.exit(f"desk.py: {trouble}")
    finally:
        shutil.rmtree(options.folder, ignore_errors=True)
    for failure in failures:
        print(f"desk.py {options.command}: seed {options.seed}: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
