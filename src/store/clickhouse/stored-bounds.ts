import type { Unsigned64Column } from "./native/native-columns.ts";

/** Encodes infinite extremes: the largest time plus one. As a maximum it means unknown. */
export const BOUND = 2 ** 53;

/** SQL of a stored column, by name. */
export type PointColumn = (name: string) => string;

/** Appends points. Infinite bounds become numbers that sort correctly for min and max. */
export function appendNumbers(
  target: Pick<Unsigned64Column, "append" | "appendBigints"> | undefined,
  name: string,
  numbers: Float64Array,
): void {
  const isExtreme = name === "minMicros" || name === "maxMicros";
  if (!isExtreme || numbers.every((value) => Number.isFinite(value))) target?.append(numbers);
  else target?.appendBigints(BigUint64Array.from(numbers, boundOf));
}

function boundOf(value: number): bigint {
  return BigInt(Math.min(BOUND, Math.max(0, value)));
}
