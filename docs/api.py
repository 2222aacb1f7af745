"""Prints the public declarations of the library, one a line and sorted.

usage: api.py FOLDER MODULE…

FOLDER has the symbol graphs of the modules. A line is a path and the declaration, or a type and a
protocol that it conforms to. What the compiler derives is left out, and so are the conformances that
others imply. With `--count` it prints the number of declarations of each module instead.
"""

import json
import os
import re
import sys

# What every type has, and what follows from another protocol: for each, those that imply it.
ALWAYS = {"Copyable", "Escapable", "SendableMetatype"}
IMPLIED = {
    "Error": {"LocalizedError"},
    "Sendable": {"LocalizedError", "Error"},
    "Equatable": {"Hashable", "Comparable", "AdditiveArithmetic", "OptionSet"},
    "RawRepresentable": {"OptionSet"},
    "SetAlgebra": {"OptionSet"},
    "ExpressibleByArrayLiteral": {"OptionSet"},
    "CustomStringConvertible": {"LosslessStringConvertible"},
}


def graphs(folder, module):
    """The graphs of a module: its own declarations, and what it adds to others' types."""
    for name in sorted(os.listdir(folder)):
        if re.fullmatch(re.escape(module) + r"(@\w+)?\.symbols\.json", name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield json.load(file), "@" in name


def written(graph):
    """The declarations that stand in a source file."""
    return [symbol for symbol in graph["symbols"] if "location" in symbol]


def declaration(symbol):
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return " ".join(text.split())


def paths(folder, modules):
    """Of each declaration of these modules, also as another one extends it: where it was declared."""
    return {
        symbol["identifier"]["precise"]: ".".join([module, *symbol["pathComponents"]])
        for module in modules
        for graph, extends in graphs(folder, module)
        if not extends
        for symbol in written(graph)
    }


def lines(folder, module, names):
    for graph, _ in graphs(folder, module):
        for symbol in written(graph):
            yield ".".join([module, *symbol["pathComponents"]]) + f": {declaration(symbol)}"
        protocols = {}
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo" and relation["source"] in names:
                protocol = relation.get("targetFallback", names.get(relation["target"], ""))
                protocols.setdefault(relation["source"], set()).add(protocol.split(".")[-1])
        for source, conformed in protocols.items():
            for protocol in conformed - ALWAYS - {""}:
                if not IMPLIED.get(protocol, set()) & conformed:
                    yield f"{names[source]}: conforms to {protocol}"


def main(arguments):
    if arguments[0] == "--count":
        folder, *modules = arguments[1:]
        counts = [
            sum(len(written(graph)) for graph, extends in graphs(folder, module) if not extends)
            for module in modules
        ]
        for module, count in zip(modules, counts):
            print(f"{count:5} {module}")
        print(f"{sum(counts):5} together")
        return
    folder, *modules = arguments
    names = paths(folder, modules)
    for module in sorted(modules):
        for line in sorted(set(lines(folder, module, names))):
            print(line)


main(sys.argv[1:])
