"""Kills runs of a batch: one alone, or one of two that share the work."""

import os
import subprocess
import time

from batch import Fault, announced, is_killed, require, twenty_jobs, wait_for
from faulty import build_faults, calls_of, fault

# How often the time is taken anew that a run needs: others use the machine as well.
EVERY = 20


class Tally:
    """What became of kills of one kind."""

    def __init__(self):
        self.tried = self.struck = self.again = 0

    def count(self, struck, again=0):
        self.tried += 1
        self.struck += struck
        self.again += again


def is_at_work(batch):
    """Whether there is an output of which no receipt speaks yet."""
    return not set(batch.expected) <= batch.receipted()


# ---- kill --------------------------------------------------------------------------------------


def torture_kill(options, folder, dice):
    batch = twenty_jobs(options, os.path.join(folder, "batch"))
    batch.decode()
    library = build_faults(folder)
    calls = len(calls_of(library, batch))
    aimed, unaimed = Tally(), Tally()
    for number in range(options.rounds):
        if number % EVERY == 0:
            batch.reset()
            batch.measure()
        # At the calls themselves, which are most of what can go wrong and little of the time.
        words = f"any:{dice.randint(1, calls)}:{dice.choice(['kill', 'killed'])}"
        moment = dice.random() * batch.seconds
        is_aimed = number % 2 == 0
        old = dice.random() < 0.3
        try:
            if is_aimed:
                aimed.count(*kill_once(batch, library, old, words, None))
            else:
                unaimed.count(*kill_once(batch, library, old, None, moment))
        except Fault as problem:
            how = words if is_aimed else f"after {moment:.3f} s"
            raise Fault(f"round {number}, killed {how}: {problem}")
    require(aimed.struck, "none of", aimed.tried, "kills at a call struck at work")
    print(f"kill: {options.rounds} rounds: " + "; ".join(
        f"{tally.struck} of {tally.tried} kills {what} struck at work, {tally.again} jobs in place "
        "without a receipt done again, none with one"
        for what, tally in (("at a call", aimed), ("at a moment", unaimed)))
        + "; nothing torn, nothing left over")


def kill_once(batch, library, old, words, moment):
    """Whether the kill struck at work, and how many jobs were done again that were in place."""
    batch.reset(old)
    screen_path = os.path.join(os.path.dirname(library), "screen")
    environment = fault(library, batch, words) if words else None
    with open(screen_path, "w") as said:
        process = batch.start(environment=environment, said=said)
        if not words:
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.kill()
        status = wait_for(process)
    with open(screen_path) as said:
        screen = said.read()
    # With --isolate it may be a job's process that died.
    is_isolated = "--isolate" in batch.options
    allowed = (0, 1, 75) if is_isolated else (0,)
    require(status in allowed or is_killed(status), "gave", status, screen)
    struck = status != 0 and is_at_work(batch)
    in_place, receipted, marks = batch.whole(), batch.receipted(), batch.marks()
    require(receipted <= in_place, "receipts without an output:", sorted(receipted - in_place))
    batch.finish()
    again = [
        name for name in batch.redone(marks) if set(batch.jobs[name]["outputs"]) <= in_place]
    done = announced(screen)
    for name in again:
        # It stood between the last rename and the receipt.
        require(not set(batch.jobs[name]["outputs"]) <= receipted, name, "has its receipt, and is "
                "done again")
        require(name not in done, name, "was said to be done, and is done again")
    # Of the processes that die one by one, each may stand there.
    require(is_isolated and words or len(again) <= len(os.sched_getaffinity(0)),
            "done again:", again)
    return struck, len(again)


# ---- twice -------------------------------------------------------------------------------------


def torture_twice(options, folder, dice):
    batch = twenty_jobs(options, os.path.join(folder, "batch"))
    library = build_faults(folder)
    calls = len(calls_of(library, batch))
    undisturbed = 0
    tallies = {"the first at a moment": Tally(), "the second at a moment": Tally(),
               "the first at a call": Tally()}
    for number in range(options.rounds):
        if number % EVERY == 0:
            batch.reset()
            seconds = run_twice(batch, folder, 0)[1]
        # Together, or the second one somewhere in the work of the first.
        delay = dice.random() * seconds * dice.choice([0.02, 0.7])
        # From there to the end, when both are at work.
        moment = delay + dice.random() * max(0, seconds - delay)
        # Each of the two makes about half of the calls.
        words = f"any:{dice.randint(1, calls // 2)}:{dice.choice(['kill', 'killed'])}"
        kind = dice.choice([None, *tallies])
        batch.reset(old=dice.random() < 0.3)
        how = f"the second after {delay:.3f} s"
        try:
            if kind is None:
                run_twice(batch, folder, delay)
                undisturbed += 1
            elif kind == "the first at a call":
                how += f", {kind}: {words}"
                environment = fault(library, batch, words)
                tallies[kind].count(run_twice(batch, folder, delay, environment=environment)[0])
            else:
                how += f", {kind}: {moment:.3f} s"
                victim = 0 if kind.startswith("the first") else 1
                tallies[kind].count(run_twice(batch, folder, delay, victim, moment)[0])
        except Fault as problem:
            raise Fault(f"round {number}, {how}: {problem}")
    print(f"twice: {options.rounds} pairs of runs, {undisturbed} of them undisturbed; kills that "
          "struck at work: " + ", ".join(
              f"{tally.struck} of {tally.tried} of {kind}" for kind, tally in tallies.items())
          + "; nothing torn, nothing left over, no job done twice")


def run_twice(batch, folder, delay, victim=None, moment=None, environment=None):
    """Runs two at once, one of which may be killed at a moment, or by its environment at a call.

    Gives whether the kill struck at work, and how long it took until both had ended.
    """
    paths = [os.path.join(folder, name) for name in ("first", "second")]
    begin = time.monotonic()
    with open(paths[0], "w") as first, open(paths[1], "w") as second:
        processes = [batch.start(said=first, environment=environment)]
        time.sleep(delay)
        processes.append(batch.start(said=second))
        struck = False
        if victim is not None:
            try:
                processes[victim].wait(max(0, begin + moment - time.monotonic()))
            except subprocess.TimeoutExpired:
                struck = is_at_work(batch)
                processes[victim].kill()
        statuses = [wait_for(process) for process in processes]
    seconds = time.monotonic() - begin
    if environment:
        # Killed by itself; the other one has done all by now.
        victim, struck = 0, is_killed(statuses[0])
    screens = []
    for path in paths:
        with open(path) as said:
            screens.append(said.read())
    for number, status in enumerate(statuses):
        may_die = number == victim and is_killed(status)
        require(status == 0 or may_die, "they gave", statuses, *screens)
    twice = announced(screens[0]) & announced(screens[1])
    require(not twice, "done by both:", sorted(twice), *screens)
    missing = set(batch.expected) - batch.whole()
    require(not missing, "not in place:", sorted(missing))
    if not any(is_killed(status) for status in statuses):
        batch.require_complete()
    marks = batch.marks()
    batch.finish()
    require(not batch.redone(marks), "done once more:", batch.redone(marks))
    return struck, seconds
