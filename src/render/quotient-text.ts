/** `numerator / denominator`, both not negative, rounded half up to at most six decimals; "0" for a denominator of 0. */
export function quotientText(numerator: bigint, denominator: bigint): string {
  if (denominator === 0n) return "0";
  const millionths = (numerator * 2_000_000n + denominator) / (denominator * 2n);
  const fraction = (millionths % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  const whole = (millionths / 1_000_000n).toString();
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
