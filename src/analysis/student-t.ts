/**
 * How many standard errors an estimate lies at most away from the truth, with this error
 * probability (two-sided, 0 to 1, both excluded): Student's t for a whole number of degrees of freedom, 1 or more,
 * by the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4.
 */
export function studentT(errorProbability: number, degreesOfFreedom: number): number {
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

/** Each halves the error, which is a power of two at first: enough for nine digits. */
const BISECTIONS = 40;

/**
 * The chance that |t| is at least so large, for a whole number of degrees of freedom, 1 or more: what is
 * left of one, exact to 14 places after the point.
 */
export function chanceBeyond(t: number, degreesOfFreedom: number): number {
  return Math.max(0, 1 - probabilityWithin(t, degreesOfFreedom));
}

/** The probability that |t| is less. */
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
