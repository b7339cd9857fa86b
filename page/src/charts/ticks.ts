/** Positions of grid lines. */

const CLOCK_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];
const DAY = 86_400;

/**
 * Whole clock steps within `[from, until]`, at most about `most`. `origin` is a second at which the clock
 * shows 0.
 */
export function clockTicks(from: number, until: number, most: number, origin = 0): number[] {
  const wanted = (until - from) / Math.max(1, most);
  const step = CLOCK_STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / DAY) * DAY;
  const ticks: number[] = [];
  const first = Math.ceil((from - origin) / step) * step + origin;
  for (let at = first; at <= until; at += step) ticks.push(at);
  return ticks;
}

/** Round numbers from `min`, which is at most 0, to `max`, at most `most` besides the first. */
export function valueTicks(max: number, most = 5, min = 0): number[] {
  const extent = max - min;
  if (!(extent > 0)) return [0];
  const rough = extent / most;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  // A step may be slightly below `rough`: what remains above the last tick is less than a step.
  const step = [1, 2, 2.5, 5, 10]
    .map((each) => each * magnitude)
    .find((each) => Math.floor((extent / each) * (1 + 1e-9)) <= most);
  const ticks: number[] = [];
  const every = step ?? extent;
  const first = Math.ceil((min / every) * (1 + 1e-9));
  for (let index = first; index * every <= max + extent * 1e-9; index++) {
    ticks.push(Number((index * every).toPrecision(12)));
  }
  return ticks;
}

/** Pixels per decade that labels of 1, 2 and 5 need. */
const DECADE_PIXELS_MIN = 40;

/** 1, 2 and 5 of each decade within `[min, max]`; only 1 if `pixels` is too small for more. */
export function logTicks(min: number, max: number, pixels: number): number[] {
  const [first, last] = [Math.floor(Math.log10(min)), Math.ceil(Math.log10(max))];
  const digits = pixels < DECADE_PIXELS_MIN * Math.log10(max / min) ? [1] : [1, 2, 5];
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap(
    (decade) => digits.map((digit) => Number((digit * 10 ** decade).toPrecision(3))),
  );
  return ticks.filter((tick) => tick >= min && tick <= max);
}
