import { chanceOfT } from "./chance.ts";
import { LEVEL_MIN, type LevelSeries, type Part } from "./levels.ts";

interface Stretch extends Part {
  /** That noise alone makes any stretch of the part so different. */
  readonly chance: number;
}

/**
 * The stretch within a part that differs most from what is before and after it taken together: what
 * came and went again, which no single cut shows (circular binary segmentation [4]). One load test
 * alone does not make it: without its most extreme value it must be as clear. `undefined` where the
 * part is shorter than three levels. Work grows with the square of the length.
 */
export function bestStretch(series: LevelSeries, part: Part): Stretch | undefined {
  const length = part.until - part.from;
  if (length < 3 * LEVEL_MIN) return undefined;
  // Differences from the middle of the part, so that sums of squares lose no digits.
  const own = series.values.slice(part.from, part.until);
  const average = own.reduce((sum, each) => sum + each, 0) / length;
  const deviations = own.map((value) => value - average);
  const squares = deviations.reduce((sum, each) => sum + each ** 2, 0);
  const { from, until } = mostDifferent(deviations);
  const inside = deviations.slice(from, until);
  const sum = inside.reduce((total, each) => total + each, 0);
  const extreme = inside.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
  const whole = { length, sum: 0, squares, stretch: { length: until - from, sum } };
  const without = {
    length: length - 1,
    sum: -extreme,
    squares: squares - extreme ** 2,
    stretch: { length: until - from - 1, sum: sum - extreme },
  };
  const chance = Math.max(
    chanceOfStretch(whole, series.varianceMin),
    chanceOfStretch(without, series.varianceMin),
  );
  const stretches = (length * (length - 1)) / 2;
  return {
    from: part.from + from,
    until: part.from + until,
    chance: Math.min(1, chance * stretches),
  };
}

/** The stretch whose average differs most, by how much its length lets it. */
function mostDifferent(deviations: Float64Array): Part {
  const { length } = deviations;
  let best = { from: LEVEL_MIN, until: 2 * LEVEL_MIN };
  let most = -1;
  for (let from = LEVEL_MIN; from <= length - 2 * LEVEL_MIN; from++) {
    let sum = 0;
    for (let until = from + 1; until <= length - LEVEL_MIN; until++) {
      sum += deviations[until - 1] as number;
      const inside = until - from;
      if (inside < LEVEL_MIN) continue;
      const here = (sum * sum) / (inside * (length - inside));
      if (here > most) [best, most] = [{ from, until }, here];
    }
  }
  return best;
}

/** Sums over some values, and over a stretch of them. */
interface Sums {
  readonly length: number;
  readonly sum: number;
  readonly squares: number;
  readonly stretch: { readonly length: number; readonly sum: number };
}

/** The two-sided t test of a stretch against all else. */
function chanceOfStretch({ length, sum, squares, stretch }: Sums, varianceMin: number): number {
  const average = sum / length;
  const surplus = stretch.sum - stretch.length * average;
  const explained = (surplus ** 2 * length) / (stretch.length * (length - stretch.length));
  const unexplained = Math.max(0, squares - sum * average - explained);
  const variance = Math.max(unexplained / (length - 2), varianceMin);
  if (surplus === 0) return 1;
  return chanceOfT(Math.sqrt(explained / variance), length - 2);
}
