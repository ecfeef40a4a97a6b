// A theme's module may export show(element, banner), count(element, banner, number) and hide(element, banner).

const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

export function count(element, banner, number) {
  if (isCalm.matches || number === 0 || number % 10 !== 0) return;
  element.animate([{ filter: "brightness(2.4)" }, { filter: "brightness(1)" }], { duration: 500, easing: "ease-out" });
}
