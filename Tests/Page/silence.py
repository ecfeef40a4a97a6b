"""A network that dies without a word: silence.py LIVECUE

What was connected stays so and carries nothing; what connects anew is never answered. The page must notice, and be right
within four seconds after the network works again. Then the overlay's server is started anew under the page, which must go
on and may still change something.
"""

import sys

from browser import Browser
from proxy import Proxy
from studio import Studio, until

SHOWN = "return document.querySelector('.banner .sender')?.textContent ?? ''"


def gift(name):
    return {"type": "gift", "sender": {"id": name, "name": name}, "gift": {"id": "rose", "name": "Rose"}}


def main():
    studio = Studio(sys.argv[1], "gift: {tracks: 1, holdMs: 300}\n")
    port = int(studio.address.rstrip("/").rsplit(":", 1)[1])
    proxy = Proxy(port)
    browser = Browser()
    try:
        near = browser.open(f"{studio.address}overlay?room=r")
        far = browser.open(f"http://127.0.0.1:{proxy.port}/overlay?room=r")
        browser.control("r", "test", event=gift("Ann"))
        until(lambda: browser.execute_script(SHOWN) == "Ann", "nothing is shown")
        until(lambda: browser.execute_script(SHOWN) == "", "a banner stays")
        # What the browser keeps from loading the page would be tried first, one after the other.
        until(lambda: len(proxy.pairs) == 2, "idle connections stay")
        proxy.fall_silent()
        browser.switch_to.window(near)
        browser.control("r", "test", event=gift("Bo"))
        until(lambda: browser.execute_script(SHOWN) == "Bo", "nothing is shown")
        browser.switch_to.window(far)
        hears = "return window.livecue?.isConnected ?? false"
        until(lambda: not browser.execute_script(hears), "silence is not noticed", 6)
        proxy.speak()
        until(lambda: browser.execute_script(hears), "the page does not come back", 4)
        browser.control("r", "test", event=gift("Cy"))
        until(lambda: browser.execute_script(SHOWN) == "Cy", "nothing is shown after the silence")
        print("silence: noticed, and over within four seconds")
        browser.switch_to.window(near)
        studio.restart_overlay()
        until(lambda: browser.execute_script(hears), "the page does not come back to a new server")
        # The page's token is the old server's.
        browser.control("r", "test", event=gift("Di"))
        until(lambda: browser.execute_script(SHOWN) == "Di", "nothing is shown by a new server")
        print("restart: the page goes on with a new server")
    finally:
        browser.quit()
        studio.end()


main()
