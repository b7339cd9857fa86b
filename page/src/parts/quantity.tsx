import type { Quantity as QuantityText } from "../format/numbers.ts";

/** Digits, and their unit in a box of its own, so that digits stay aligned. */
export function Quantity({ digits, unit }: QuantityText) {
  return (
    <>
      {digits}
      <span class="unit">{unit}</span>
    </>
  );
}
