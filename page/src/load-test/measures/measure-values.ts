/** What is drawn and said of a measure, by its kind and unit. */

import type { MeasureFacts } from "../../api/measures.ts";
import { byteTexts, numberTexts, shareTexts, timeTexts } from "../../format/axis-texts.ts";
import { inWords } from "../../format/changes.ts";
import {
  bytes,
  bytesPerSecond,
  count,
  duration,
  type Quantity,
  rate,
  share,
} from "../../format/numbers.ts";

type Described = Pick<MeasureFacts, "kind" | "unit">;

/** Units of senders that name none, by names of measures: Telegraf, Micrometer, exporters of Prometheus. */
const UNITS: readonly (readonly [unit: string, name: RegExp])[] = [
  ["%", /percent|^cpu\.usage_/],
  ["By", /(?:^|[._])bytes(?:[._]|$)|^mem\.(?!.*percent)\w+$|heap_(?:used|committed|max)$/],
  ["ms", /(?:^|[._])(?:ms|millis|milliseconds)$/],
  ["us", /(?:^|[._])(?:us|micros|microseconds)$/],
  ["ns", /(?:^|[._])(?:ns|nanos|nanoseconds)$/],
  ["s", /(?:^|[._])seconds$/],
];

/** The unit of a measure; of one without, that in its name, or empty. */
export function shownUnit(name: string, unit: string): string {
  if (unit !== "") return unit;
  return UNITS.find(([, pattern]) => pattern.test(name))?.[0] ?? "";
}

/** Names the values of a series: the growth per second of a counter, else an average. */
export function quantityOf({ kind, unit }: Described, value: number): Quantity {
  if (kind === "rate") return share(value);
  if (kind === "counter") return withPerSecond(unit, value);
  const seconds = secondsOf(unit, value);
  if (seconds !== undefined) return value < 0 ? plain(value, unit) : duration(seconds);
  if (unit === "By" && value >= 0) return bytes(Math.round(value));
  return plain(value, unit === "1" ? "" : unit);
}

/** Texts of an axis with its values. */
export function axisTextsOf({ kind, unit }: Described): (values: readonly number[]) => string[] {
  if (kind === "rate") return (values) => values.map((value) => inWords(share(value)));
  const scale = kind === "counter" ? undefined : secondsOf(unit, 1);
  if (scale !== undefined) return (values) => timeTexts(values.map((value) => value * scale));
  if (unit === "%" && kind !== "counter")
    return (values) => shareTexts(values.map((each) => each / 100));
  return unit === "By" ? byteTexts : numberTexts;
}

function withPerSecond(unit: string, value: number): Quantity {
  if (value < 0) return plain(value, "/s");
  return unit === "By" ? bytesPerSecond(value) : { digits: rate(value), unit: "/s" };
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** A time in seconds; `undefined` if the unit is not one of time. */
export function secondsOf(unit: string, value: number): number | undefined {
  const scale = SECONDS[unit];
  return scale === undefined ? undefined : value * scale;
}

/** At most three significant digits. */
function plain(value: number, unit: string): Quantity {
  const digits =
    Math.abs(value) >= 100 ? count(Math.round(value)) : `${Number(value.toPrecision(3))}`;
  return { digits, unit };
}
