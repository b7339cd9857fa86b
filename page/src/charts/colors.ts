/** Style sheet colours for drawing on a canvas. */

let probe: HTMLElement | undefined;

/** The current value of a custom property (`--err`) in this theme: `rgb(204, 10, 74)`. */
export function color(property: string): string {
  probe ??= document.body.appendChild(createProbe());
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
}

/** Only a browser can resolve `light-dark()`, and only on an attached element. */
function createProbe(): HTMLElement {
  const element = document.createElement("span");
  element.hidden = true;
  return element;
}

const HEAT_STOPS = 9;

/** The heatmap ramp, from few requests to many. */
export function heatStops(): string[] {
  return Array.from({ length: HEAT_STOPS }, (_, index) => color(`--heat${index + 1}`));
}
