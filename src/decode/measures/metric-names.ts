/** What names say of metrics of Prometheus (https://prometheus.io/docs/practices/naming) and of columns. */

const TOTAL = "_total";

/** The name of a counter, which shows that it is one. */
export function totalName(name: string): string {
  return name.endsWith(TOTAL) ? name : `${name}${TOTAL}`;
}

/** UCUM by the last word of a name. */
const UNITS: Readonly<Record<string, string>> = {
  seconds: "s",
  s: "s",
  milliseconds: "ms",
  ms: "ms",
  micros: "us",
  us: "us",
  nanos: "ns",
  ns: "ns",
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
  const [, last = ""] =
    /(?:_|(?<=[a-z])(?=[A-Z]))([A-Za-z][a-z]*)(?:_total|_sum)?$/.exec(name) ?? [];
  const suffix = last.toLowerCase();
  return UNITS[unit] ?? UNITS[suffix] ?? unit;
}
