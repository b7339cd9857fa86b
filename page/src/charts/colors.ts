/** Colours of the style sheet, for what is drawn on a canvas. */

let probe: HTMLElement | undefined;

/** The colour that a custom property (`--err`) stands for in the theme as it is now: `rgb(204, 10, 74)`. */
export function color(property: string): string {
  probe ??= document.body.appendChild(createProbe());
  probe.style.color = `var(${property})`;
  return getComputedStyle(probe).color;
}

/** Only a browser can say what `light-dark()` means, and only of an element that is there. */
function createProbe(): HTMLElement {
  const element = document.createElement("span");
  element.hidden = true;
  return element;
}

const HEAT_STOPS = 9;

/** The ramp of heatmaps, from few requests to many. */
export function heatStops(): string[] {
  return Array.from({ length: HEAT_STOPS }, (_, index) => color(`--heat${index + 1}`));
}
