"""Runs a program with what a unit denies it: sandbox.py ROOT USER UNIT WORD…

What systemd would enforce for these lines, the kernel enforces here: SystemCallFilter=, RestrictAddressFamilies=,
MemoryDenyWriteExecute=, CapabilityBoundingSet= and NoNewPrivileges=.
"""

import errno
import os
import re
import socket
import subprocess
import sys

import seccomp

PROT_WRITE, PROT_EXEC = 2, 4


def groups():
    """The groups of system calls that systemd knows, each with what it lists."""
    # It complains on standard error that the kernel's own list cannot be read, which nobody asked for.
    text = subprocess.check_output(["systemd-analyze", "syscall-filter"], text=True, stderr=subprocess.DEVNULL)
    found, name = {}, None
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"):
        if line.startswith("@"):
            name = line.strip()
            found[name] = []
        elif line.startswith("    ") and name and not line.lstrip().startswith("#"):
            found[name].append(line.strip())
    return found


def calls(words, known):
    """The system calls of groups and names."""
    found = set()
    for word in words:
        found |= calls(known[word], known) if word.startswith("@") else {word}
    return found


def allowed(lines):
    """What SystemCallFilter= lines allow; systemd adds what no program can do without."""
    known = groups()
    names = calls(["@default"], known)
    for line in lines:
        words = line.lstrip("~").split()
        names = names - calls(words, known) if line.startswith("~") else names | calls(words, known)
    return names


def main():
    root, user, unit, *words = sys.argv[1:]
    lines = [line.split("=", 1) for line in open(unit).read().split("\n") if re.match(r"\w+=", line)]

    def values(key):
        return [value for name, value in lines if name == key]

    assert values("MemoryDenyWriteExecute") == ["yes"] and values("NoNewPrivileges") == ["yes"]
    rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(errno.EPERM))
    names = allowed(values("SystemCallFilter"))
    assert len(names) > 200 and "mount" not in names, f"{len(names)} system calls are allowed"
    for name in names - {"socket", "mmap", "mprotect", "pkey_mprotect"}:
        if seccomp.resolve_syscall(seccomp.Arch(), name) >= 0:
            rules.add_rule(seccomp.ALLOW, name)
    for family in values("RestrictAddressFamilies")[0].split():
        rules.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, int(getattr(socket, family))))
    both = PROT_WRITE | PROT_EXEC
    for protection in (0, PROT_WRITE, PROT_EXEC):
        rules.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, both, protection))
    for name in ("mprotect", "pkey_mprotect"):
        rules.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, 0))

    os.chroot(root)
    os.chdir("/")
    os.umask(int(values("UMask")[0], 8))
    os.setgroups([])
    os.setgid(int(user))
    # Who is no longer root has no capabilities, and what follows lets nobody gain any.
    os.setuid(int(user))
    rules.load()
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    except PermissionError:
        os.execv(words[0], words)
    # A sandbox that lets this through would prove nothing.
    sys.exit("sandbox.py: a forbidden socket was opened")


main()
