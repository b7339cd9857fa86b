import type { Quantity as QuantityText } from "../format/numbers.ts";

/** Digits, with the unit in its own box, so that digits stay aligned. */
export function Quantity({ digits, unit }: QuantityText) {
  return (
    <>
      {digits}
      <span class="unit">{unit}</span>
    </>
  );
}
