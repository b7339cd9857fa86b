/** What the names of Prometheus' metrics say (https://prometheus.io/docs/practices/naming). */

const TOTAL = "_total";

/** The name of a counter, which shows that it is one. */
export function totalName(name: string): string {
  return name.endsWith(TOTAL) ? name : `${name}${TOTAL}`;
}

/** UCUM by the base units of Prometheus. */
const UNITS: Readonly<Record<string, string>> = {
  seconds: "s",
  milliseconds: "ms",
  bytes: "By",
  celsius: "Cel",
  volts: "V",
  amperes: "A",
  joules: "J",
  grams: "g",
  meters: "m",
  hertz: "Hz",
  ratio: "1",
  percent: "%",
};

/** The unit of a metric by its metadata, else by its name; empty if neither says it. */
export function measureUnitOf(name: string, unit = ""): string {
  const suffix = /_([a-z]+)(?:_total|_sum)?$/.exec(name)?.[1] ?? "";
  return UNITS[unit] ?? UNITS[suffix] ?? unit;
}
