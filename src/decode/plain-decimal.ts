/** Longest decimal that an exponent is written out to; nothing that can be read has more digits. */
const PLACES_MAX = 40;

/** `1.5e+06` as `1500000`; text without an exponent, or one that is out of reach, as it is. */
export function plainDecimal(text: string): string {
  const match = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", exponent = ""] = match;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  if (digits === "0" || /^0*$/.test(digits)) return "0";
  const point = digits.length - fraction.length + Number(exponent);
  if (point > PLACES_MAX) return text;
  if (point < -PLACES_MAX) return "0";
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return digits + "0".repeat(point - digits.length);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
