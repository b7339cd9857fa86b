/** `75` or `99.99` as a number; `undefined` unless it is above 0 and below 100, with at most two decimals. */
export function percentOf(text: string): number | undefined {
  const percent = /^\d{1,2}(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
  return percent > 0 ? percent : undefined;
}
