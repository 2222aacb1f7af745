"""Ends avjob at bad moments, takes its disk away, and looks at what is left.

Each torture runs a batch undisturbed first. After that, whatever is done to a run: an output is
absent, the old one, or the bytes of the undisturbed run; and one more run makes all of them whole,
leaves nothing beside them, and does no job again that has its receipts.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile

# The repository is no place for what Python keeps of the modules beside this one.
sys.dont_write_bytecode = True

from batch import Fault, end_all
from broken import torture_broken
from cluster import torture_cluster
from copies import torture_copies
from disks import enter_namespace, torture_disk, torture_order
from faulty import torture_faults
from kills import torture_kill, torture_twice
from packets import torture_packets
from remote import torture_remote
from spliced import torture_spliced


def torture_movies(*arguments):
    # Whose NumPy no other needs.
    import movies
    movies.torture_movies(*arguments)


def torture_mutants(*arguments):
    import movies
    movies.torture_mutants(*arguments)


# Each with its rounds, and how many seconds of sound an input has, unless told otherwise.
TORTURES = {
    "kill": (torture_kill, 300, 1.0),
    "disk": (torture_disk, 100, 1.0),
    "faults": (torture_faults, 0, 0.2),
    "order": (torture_order, 1, 0.2),
    "twice": (torture_twice, 100, 1.0),
    "broken": (torture_broken, 50, 0.5),
    "remote": (torture_remote, 30, 15.0),
    "copies": (torture_copies, 50, 0.0),
    "packets": (torture_packets, 100, 0.0),
    "spliced": (torture_spliced, 20, 0.0),
    "movies": (torture_movies, 60, 0.0),
    "mutants": (torture_mutants, 1000, 0.0),
    "cluster": (torture_cluster, 1, 0.0),
}


def main():
    parser = argparse.ArgumentParser(prog="torture.py", description=__doc__)
    parser.add_argument("name", choices=TORTURES)
    parser.add_argument("--avjob", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, help="0: each call that can fail, for `faults`")
    parser.add_argument("--isolate", dest="options", action="store_const", const=["--isolate"],
                        default=[], help="have each job in a process of its own")
    parser.add_argument("--long", action="store_true", help="ten times the rounds")
    parser.add_argument("--seconds", type=float, help="how much sound each input has")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    torture, rounds, seconds = TORTURES[options.name]
    rounds *= 10 if options.long else 1
    options.rounds = rounds if options.rounds is None else options.rounds
    options.seconds = seconds if options.seconds is None else options.seconds
    if options.name == "disk":
        enter_namespace()
    # Resolved, since strace and the kernel tell paths without links.
    folder = os.path.realpath(tempfile.mkdtemp(prefix="avjob-torture-"))
    # So that what was started is ended, and the seed told, where this is ended itself.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(f"{options.name}: ended by a signal"))
    try:
        torture(options, folder, random.Random(options.seed))
    except BaseException as problem:
        # First, since what follows may be cut where it is long.
        print(f"{options.name}: seed {options.seed}; its folder is {folder}", file=sys.stderr)
        if not isinstance(problem, Fault):
            raise
        sys.exit(f"{options.name}: {problem}")
    finally:
        end_all()
    shutil.rmtree(folder)


main()
