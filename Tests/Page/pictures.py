"""Makes the README's picture of the overlay from the calm capture: pictures.py LIVECUE FOLDER"""

import sys

from browser import Browser
from studio import ROOM, Studio, until

# What stands behind the overlay in the picture: the page itself is transparent.
GROUND = """
const style = document.createElement("style");
style.textContent = `html { background:
  radial-gradient(70% 90% at 70% 30%, rgb(240 176 131 / 60%), rgb(240 176 131 / 18%) 45%, transparent),
  linear-gradient(140deg, #24375e, #4b2f5e 50%, #1d2c40) !important; }
  /* In a picture what rises is only dim. */
  #comments .fresh { animation: none !important; }`;
document.head.append(style);
"""
# Three banners that have come, one of them with a combo; comments up to the top; a shower.
IS_FULL = """
const numbers = [...document.querySelectorAll(".banner")]
  .filter((banner) => Number(banner.style.getPropertyValue("--arrival")) === 1
    && Number(banner.style.getPropertyValue("--leaving")) === 0)
  .map((banner) => Number(banner.querySelector(".number").textContent.slice(1)));
return numbers.length === 3 && Math.max(...numbers) > 2 && livecue.particles.particles.length > 5
  && document.querySelectorAll("#comments li").length === 12;
"""


def main():
    studio = Studio(sys.argv[1])
    browser = Browser()
    try:
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False})
        studio.replay(6)
        browser.get(f"{studio.address}overlay?room={ROOM}")
        browser.execute_script(GROUND)
        until(lambda: browser.execute_script(IS_FULL), "the picture is not full", 90)
        browser.save_screenshot(f"{sys.argv[2]}/overlay.png")
    finally:
        browser.quit()
        studio.end()


main()
