/** Differences as the page shows them: whole percent, or a factor. */

import { count, type Quantity } from "./numbers.ts";

/** From here on a factor is clearer than percent. */
const FACTOR_MIN = 10;

/** A relative change, 0.1 for 10 % more: `+10 %`, `−19 %`, `×12`. */
export function change(value: number): Quantity {
  if (value + 1 >= FACTOR_MIN) return { digits: `×${count(Math.round(value + 1))}`, unit: "" };
  const percent = Math.round(value * 100);
  const sign = percent > 0 ? "+" : "−";
  return { digits: percent === 0 ? "0" : `${sign}${Math.abs(percent)}`, unit: "%" };
}

/** Change of a failure rate: `×29`, `+40 %`, `from 0`; `undefined` if none failed. */
export function failureChange(base: number, value: number): Quantity | undefined {
  if (base === 0) return value === 0 ? undefined : { digits: "from 0", unit: "" };
  const factor = value / base;
  if (factor < 2) return change(factor - 1);
  const digits =
    factor < FACTOR_MIN ? String(Number(factor.toPrecision(2))) : count(Math.round(factor));
  return { digits: `×${digits}`, unit: "" };
}

/** A number and its unit as one text. */
export function inWords({ digits, unit }: Quantity): string {
  return unit === "" ? digits : `${digits} ${unit}`;
}
