/**
 * Two-sided quantile of Student's t for an error probability (0 to 1, exclusive) and at least 1 degree of freedom: the finite series of
 * Abramowitz and Stegun, 26.7.3 and 26.7.4. Fractions of a degree are interpolated by their reciprocals, as printed tables tell.
 */
export function studentT(errorProbability: number, degreesOfFreedom: number): number {
  const [below, above] = [Math.floor(degreesOfFreedom), Math.ceil(degreesOfFreedom)];
  const least = quantileOf(errorProbability, above);
  if (below === above) return least;
  const share = (1 / degreesOfFreedom - 1 / above) / (1 / below - 1 / above);
  return least + share * (quantileOf(errorProbability, below) - least);
}

/** By error probability and degrees of freedom: a comparison asks for few, for every figure. */
const known = new Map<number, Map<number, number>>();
const KNOWN_MAX = 100;

function quantileOf(errorProbability: number, degreesOfFreedom: number): number {
  const ofProbability = known.get(errorProbability) ?? new Map<number, number>();
  const found = ofProbability.get(degreesOfFreedom) ?? search(errorProbability, degreesOfFreedom);
  if (known.size >= KNOWN_MAX && !known.has(errorProbability)) known.clear();
  known.set(errorProbability, ofProbability.set(degreesOfFreedom, found));
  return found;
}

function search(errorProbability: number, degreesOfFreedom: number): number {
  const confidence = 1 - errorProbability;
  let [low, high] = [0, 1];
  while (probabilityWithin(high, degreesOfFreedom) < confidence) high *= 2;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (probabilityWithin(middle, degreesOfFreedom) < confidence) low = middle;
    else high = middle;
  }
  return high;
}

/** Enough for nine digits. */
const BISECTIONS = 40;

/** Returns the probability that |t| is at least this large; exact to 14 decimal places. */
export function chanceBeyond(t: number, degreesOfFreedom: number): number {
  return Math.max(0, 1 - probabilityWithin(t, degreesOfFreedom));
}

function probabilityWithin(t: number, degreesOfFreedom: number): number {
  const angle = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const squaredCosine = Math.cos(angle) ** 2;
  const isOdd = degreesOfFreedom % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = degreesOfFreedom === 1 ? 0 : term;
  for (let factor = isOdd ? 2 : 1; factor <= degreesOfFreedom - 3; factor += 2) {
    term *= (squaredCosine * factor) / (factor + 1);
    sum += term;
  }
  const series = Math.sin(angle) * sum;
  return isOdd ? (2 / Math.PI) * (angle + series) : series;
}
