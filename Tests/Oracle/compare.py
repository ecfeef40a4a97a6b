#!/usr/bin/env python3
"""`livecue simulate` beside the model, on random settings and random input.

    python3 compare.py --program PATH [--first SEED] [--seeds N] [--lines N] [--keep DIR]

prints the first difference of each seed that has one, and exits with 1 then. The model asserts the conservation law
after every event and timer: what differs in no line has kept it too.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

from fuzz import Fuzz


def told(line):
    """What is compared of a line: all but the words for people, and the reports of refusals."""
    said = json.loads(line) if isinstance(line, str) else json.loads(json.dumps(line))
    if said["topic"].endswith("/control/reply"):
        said["payload"].pop("detail", None)
    return None if said["topic"].endswith("/rejected") else said


def compare(seed, program, lines, folder):
    """The first difference as text, or None; and how many lines were compared."""
    try:
        wanted = [told(said) for said in Fuzz(seed, lines, False).write(folder)]
    except Exception:
        return traceback.format_exc(), 0
    input_path, settings_path = os.path.join(folder, "input.jsonl"), os.path.join(folder, "settings.json")
    asked = [program, "simulate", "--snapshots", "--config", settings_path, input_path]
    found = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if found.returncode != 0:
        return f"the program ended with {found.returncode}: {found.stderr.decode(errors='replace')[-2000:]}", 0
    ours = []
    for line in found.stdout.decode().split("\n")[:-1]:
        try:
            said = told(line)
        except ValueError as fault:
            return f"the program wrote what is no JSON ({fault}): {line[:400]}", len(ours)
        if said is not None:
            ours.append(said)
    for place in range(max(len(wanted), len(ours))):
        one = wanted[place] if place < len(wanted) else None
        other = ours[place] if place < len(ours) else None
        if one != other:
            return f"line {place + 1}\n  model: {shown(one, other)}\n  ours:  {shown(other, one)}", len(ours)
    return None, len(ours)


def shown(said, beside):
    """A line, or of two of the same topic what differs."""
    if said is None:
        return "(no more)"
    if beside is None or said["topic"] != beside["topic"]:
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))[:400]
    one, other = said.get("payload", {}), beside.get("payload", {})
    differ = {name: one[name] for name in one if one[name] != other.get(name)}
    return f'{said["at"]} {said["topic"]} {one.get("op", "")} ' + json.dumps(differ, ensure_ascii=False)[:1500]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--lines", type=int, default=None)
    parser.add_argument("--keep", help="write what a seed that differs was given to DIR/SEED")
    arguments = parser.parse_args()
    differ = total = 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        with tempfile.TemporaryDirectory() as folder:
            difference, count = compare(seed, arguments.program, arguments.lines, folder)
            total += count
            if difference is None:
                continue
            differ += 1
            print(f"seed {seed}, {difference}", flush=True)
            if arguments.keep:
                kept = os.path.join(arguments.keep, str(seed))
                os.makedirs(kept, exist_ok=True)
                for name in ("settings.json", "input.jsonl"):
                    shutil.move(os.path.join(folder, name), os.path.join(kept, name))
    print(f"{arguments.seeds} seeds from {arguments.first}, {total} lines compared, {differ} seeds differ")
    return 1 if differ or total < arguments.seeds else 0


if __name__ == "__main__":
    sys.exit(main())
