"""`make install` and `make uninstall` in a folder: what is there, what stays as it was, what is left."""

import os
import subprocess
import tempfile

WANTED = """
etc/livecue/livecue.yaml
etc/livecue/profiles/bilibili-open.yaml
etc/livecue/profiles/bilibili-web.yaml
etc/livecue/profiles/douyin-barragegrab.yaml
etc/livecue/profiles/douyin-capture.yaml
etc/livecue/profiles/douyin-dycast.yaml
etc/livecue/profiles/native.yaml
etc/livecue/profiles/tiktok.yaml
etc/livecue/profiles/tuikit.yaml
etc/livecue/profiles/twitch-eventsub.yaml
etc/livecue/profiles/youtube.yaml
usr/local/bin/livecue
usr/local/lib/systemd/system/livecue.service
usr/local/lib/systemd/system/livecue@.service
usr/local/share/bash-completion/completions/livecue
usr/local/share/doc/livecue/README.md
usr/local/share/doc/livecue/asyncapi.yaml
usr/local/share/doc/livecue/mosquitto/access
usr/local/share/doc/livecue/mosquitto/mosquitto.conf
usr/local/share/doc/livecue/profiles.md
usr/local/share/fish/vendor_completions.d/livecue.fish
usr/local/share/man/man1/livecue.1
usr/local/share/man/man5/livecue.yaml.5
usr/local/share/zsh/site-functions/_livecue
""".split()


def make(target, folder):
    subprocess.run(["make", "-s", target, f"DESTDIR={folder}"], check=True, stdout=subprocess.DEVNULL)


def files(folder):
    return sorted(
        os.path.relpath(os.path.join(parent, name), folder)
        for parent, _, names in os.walk(folder)
        for name in names
    )


with tempfile.TemporaryDirectory() as folder:
    make("install", folder)
    missing = set(WANTED) - set(files(folder))
    assert not missing, f"make install did not install {missing}"
    unit = open(f"{folder}/usr/local/lib/systemd/system/livecue.service").read()
    assert "ExecStart=/usr/local/bin/livecue run" in unit, unit
    settings = f"{folder}/etc/livecue/livecue.yaml"
    with open(settings, "w") as file:
        file.write("instance: mine\n")
    make("install", folder)
    assert open(settings).read() == "instance: mine\n", "make install overwrote a file of settings"
    make("uninstall", folder)
    left = [name for name in files(folder) if not name.startswith("etc/livecue/")]
    assert not left, f"make uninstall left {left}"
    assert os.path.exists(settings), "make uninstall removed a file of settings"
print("package test: make install and make uninstall are good")
