/** Numbers along an axis: at most three digits, without redundant zeros. */

/** Times in seconds with one common unit: `0.5 s` beside `2 s`. */
export function timeTexts(seconds: readonly number[]): string[] {
  const isLong = seconds.some((each) => each >= 1);
  return seconds.map((each) => {
    if (each === 0) return "0";
    return isLong ? `${short(each)} s` : `${short(each * 1000)} ms`;
  });
}

/** Times with a unit each, for an axis over several decades: `500 ms` beside `1 s`. */
export function logTimeTexts(seconds: readonly number[]): string[] {
  return seconds.map((each) => (each >= 1 ? `${short(each)} s` : `${short(each * 1000)} ms`));
}

export function numberTexts(values: readonly number[]): string[] {
  return values.map(short);
}

const SHORT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

function short(value: number): string {
  return SHORT.format(value);
}
