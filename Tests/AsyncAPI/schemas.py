"""Writes the JSON Schema of all that goes out, for authors of renderers: schemas.py config/asyncapi.yaml

It is made of the specification's schemas and nothing else, so that there is one place for them. On standard output: a
schema that a message of any channel below cue/ or livecue/ matches, with the parts in `definitions`.
"""

import json
import sys

import yaml


def moved(node):
    """A schema whose references lead to `definitions`."""
    if isinstance(node, dict):
        return {
            key: value.replace("#/components/schemas/", "#/definitions/") if key == "$ref" else moved(value)
            for key, value in node.items()
        }
    return [moved(item) for item in node] if isinstance(node, list) else node


def references(node):
    """The names of the schemas that one stands on."""
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[1]
        node = list(node.values())
    for child in node if isinstance(node, list) else ():
        yield from references(child)


def main():
    with open(sys.argv[1]) as file:
        tree = yaml.safe_load(file)
    schemas = tree["components"]["schemas"]
    sent = {operation["channel"]["$ref"].rsplit("/", 1)[1] for operation in tree["operations"].values()
            if operation["action"] == "send"}
    # One line for each message: its schema, and where it comes.
    topics = {}
    for channel in sorted(sent):
        for message in tree["channels"][channel]["messages"]:
            topics.setdefault(message, []).append(tree["channels"][channel]["address"])
    tops = {name: next(references(tree["components"]["messages"][name]["payload"])) for name in topics}
    needed, open_names = set(), set(tops.values())
    while open_names:
        name = open_names.pop()
        needed.add(name)
        open_names |= set(references(schemas[name])) - needed
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "LiveCue: what goes out",
        "description": "Made of config/asyncapi.yaml by Tests/AsyncAPI/schemas.py. The schema of one message is in "
        "definitions; it comes on the topics named here.",
        "topics": {name: topics[name] for name in sorted(topics)},
        "anyOf": [{"$ref": f"#/definitions/{tops[name]}"} for name in sorted(topics)],
        "definitions": {name: moved(schemas[name]) for name in sorted(needed)},
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
