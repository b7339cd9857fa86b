import type { MeasureSink, MeasureTags } from "../../model/measures/measure-table.ts";
import type { LinePoint } from "./line-point.ts";

/** Tags that name the load test; the first one wins. */
export const LOAD_TEST_TAGS = ["load_test", "testid"] as const;

/** What k6 calls its only field: its metrics keep their own names. */
const ONLY_FIELD = "value";

const ESCAPE = /\\([, ])/g;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const TRUE: ReadonlySet<string> = new Set(["t", "T", "true", "True", "TRUE"]);
const FALSE: ReadonlySet<string> = new Set(["f", "F", "false", "False", "FALSE"]);

/**
 * Records the numbers of a point of an unknown measurement as measures: a gauge by field, or a distribution where the only
 * field is `value`. Texts cannot be stored, and are counted.
 */
export function recordMeasures(point: LinePoint, unixMillis: number, measures: MeasureSink): void {
  const measurement = point.measurement.replaceAll(ESCAPE, "$1");
  const tags = tagsOf(point);
  const fields = [...point.fields()];
  const isOnly = fields.length === 1 && fields[0]?.[0] === ONLY_FIELD;
  for (const [field, part] of fields) {
    const series = measures.seriesOf({
      label: undefined,
      name: isOnly ? measurement : `${measurement}.${field}`,
      unit: "",
      kind: isOnly ? "distribution" : "gauge",
      tags,
    });
    measures.add(series, unixMillis, point.isText(part) ? Number.NaN : numberIn(point.text(part)));
  }
}

function tagsOf(point: LinePoint): MeasureTags {
  return [...point.tags()].filter(
    ([name]) => !(LOAD_TEST_TAGS as readonly string[]).includes(name),
  );
}

/** NaN if it is none. */
function numberIn(text: string): number {
  if (TRUE.has(text)) return 1;
  if (FALSE.has(text)) return 0;
  const digits = text.replace(/[iu]$/, "");
  return NUMBER.test(digits) ? Number(digits) : Number.NaN;
}
