"""Holds messages against config/asyncapi.yaml: check.py SPECIFICATION OUTPUT [INPUT]

OUTPUT has lines {"topic":…,"payload":…} that the program published: each must match exactly one message of its channel,
and damaged copies must match none. INPUT has the lines in the native format that went in, each at an instant of its
own: a line must match if, and only if, nothing of it is reported or answered as refused in OUTPUT.
"""

import copy
import json
import re
import sys

import jsonschema
import yaml

# Members that a command or a report need not have.
OPTIONAL = {"level", "avatar", "icon", "price", "receiver", "style", "test", "renderer", "play", "burst"}
# Members whose keys are the payload's own to choose.
OPEN = {"figures", "paused"}
# What a command is refused for by the state of its room, of which no schema can know.
STATE_FAULTS = {"expired", "wrong-room", "bad-room", "no-such-room", "too-many-rooms", "too-many-muted"}


class Specification:
    def __init__(self, path):
        with open(path) as file:
            self.tree = yaml.safe_load(file)
        resolver = jsonschema.RefResolver.from_schema(self.tree)
        self.validators = {}
        for name, message in self.tree["components"]["messages"].items():
            schema = message["payload"]
            jsonschema.Draft7Validator.check_schema(schema)
            self.validators[name] = jsonschema.Draft7Validator(schema, resolver=resolver)
        for schema in self.tree["components"]["schemas"].values():
            jsonschema.Draft7Validator.check_schema(schema)
        # What names most is the closest: cue/{room}/gift/fold before cue/{room}/gift/{track}.
        channels = sorted(self.tree["channels"].values(), key=lambda channel: channel["address"].count("{"))
        self.channels = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]*", channel["address"])), list(channel["messages"]))
            for channel in channels
        ]
        self._follow(self.tree)

    def _follow(self, node):
        """Every reference leads somewhere."""
        if isinstance(node, dict):
            if "$ref" in node:
                target = self.tree
                for step in node["$ref"].removeprefix("#/").split("/"):
                    target = target[step]
            for child in node.values():
                self._follow(child)
        elif isinstance(node, list):
            for child in node:
                self._follow(child)

    def messages(self, topic):
        """The messages of a topic's channel."""
        for pattern, messages in self.channels:
            if pattern.fullmatch(topic):
                return messages
        return []

    def matches(self, topic, payload):
        """The messages that a payload matches on a topic."""
        return [name for name in self.messages(topic) if self.validators[name].is_valid(payload)]


def objects(node, path=()):
    """The paths of all objects in a payload."""
    if isinstance(node, dict):
        yield path
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from objects(child, (*path, key))


def at(node, path):
    for key in path:
        node = node[key]
    return node


def damaged(payload):
    """Copies with one member too many, one too few, or one of another type."""
    for path in objects(payload):
        surplus = copy.deepcopy(payload)
        at(surplus, path)["surplus"] = "1"
        yield f"with a surplus member in {path}", surplus
        for key, value in at(payload, path).items():
            if key not in OPTIONAL and not OPEN & set(path):
                lacking = copy.deepcopy(payload)
                del at(lacking, path)[key]
                yield f"without {(*path, key)}", lacking
            # The answer's id is whatever was asked with.
            if key == "id" and not isinstance(value, str):
                continue
            other = copy.deepcopy(payload)
            at(other, path)[key] = 7.5 if isinstance(value, str) else "7"
            yield f"with another type of {(*path, key)}", other


def shape(node):
    """What two payloads have in common that can be damaged in the same ways."""
    if isinstance(node, dict):
        return tuple((key, shape(value)) for key, value in sorted(node.items()))
    if isinstance(node, list):
        return tuple(sorted({repr(shape(value)) for value in node}))
    return type(node).__name__


def check_output(specification, lines):
    """What is wrong with what went out."""
    faults, counts, seen, tried = [], {}, set(), 0
    for line in lines:
        topic, payload = line["topic"], line["payload"]
        matches = specification.matches(topic, payload)
        if len(matches) != 1:
            faults.append(f"{topic} matches {matches}: {json.dumps(payload)[:300]}")
            continue
        counts[matches[0]] = counts.get(matches[0], 0) + 1
        if (matches[0], shape(payload)) in seen:
            continue
        seen.add((matches[0], shape(payload)))
        for what, copied in damaged(payload):
            tried += 1
            if specification.matches(topic, copied):
                faults.append(f"{matches[0]} {what} matches still")
    return faults, counts, tried


def check_input(specification, lines, output):
    """Where the schemas and the program do not agree on what comes in."""
    refused = {line["payload"]["at"] for line in output if line["topic"].endswith("/rejected")}
    unknown = set()
    for line in output:
        if line["topic"].endswith("/control/reply") and not line["payload"]["ok"]:
            error, track = line["payload"]["error"], "has no such track" in line["payload"]["detail"]
            (unknown if error in STATE_FAULTS or track else refused).add(line["at"])
    faults = []
    for line in lines:
        if line["at"] in unknown or line["topic"].endswith("/feedback"):
            continue
        matches = specification.matches(line["topic"], line["payload"])
        if bool(matches) == (line["at"] in refused):
            verdict = "refused" if line["at"] in refused else "taken"
            faults.append(f"{verdict}, but matches {matches}: {json.dumps(line)}")
    return faults


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def main():
    specification = Specification(sys.argv[1])
    output = read(sys.argv[2])
    faults, counts, tried = check_output(specification, output)
    if len(sys.argv) > 3:
        faults += check_input(specification, read(sys.argv[3]), output)
    for fault in faults[:20]:
        print(fault, file=sys.stderr)
    for name in sorted(counts):
        print(f"{name} {counts[name]}")
    print(f"damaged {tried}")
    return 1 if faults or not tried else 0


sys.exit(main())
