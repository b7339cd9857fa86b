import { SECOND_LIMIT } from "../../model/columns.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { MeasureTags } from "../../model/measures/measure-table.ts";
import { plainDecimal, readWhole, scaledOf } from "../bytes/exact-number.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import type { SampleSink } from "../decoder.ts";
import type { FailureKinds } from "../failure-kinds.ts";
import { threadGroupOf } from "../jmeter/jmeter-label.ts";
import type { FacetedLabels } from "../labels/faceted-labels.ts";
import { LABEL_TOO_LONG, type LabelTable, labelTooLong } from "../labels/label-table.ts";
import type { EndpointMeasure, EndpointMeasures } from "../measures/endpoint-measures.ts";
import { phase } from "../measures/request-measures.ts";
import { quoted } from "../quoted.ts";
import type { RowRepairs } from "../row-repairs.ts";
import type { TextBudget } from "../kept-requests.ts";
import type { LinePoint } from "./line-point.ts";

export type PointPlace = Pick<Rejection, "line" | "byte">;

export interface LineTargets {
  readonly sink: SampleSink;
  readonly labels: LabelTable;
  readonly facets: FacetedLabels;
  readonly kinds: FailureKinds;
  readonly repairs: RowRepairs;
  /** The sender first, for users without a generator. */
  readonly generators: LabelTable;
  readonly measures: EndpointMeasures;
  /** Whether the load test as a whole has the requests of a label. */
  readonly isWhole: (label: number) => boolean;
  /** Of JMeter. @default its own default */
  readonly intervalSeconds: number | undefined;
  readonly sampleTexts: TextBudget;
}

/** Tags that name the load test; the first one wins. */
export const LOAD_TEST_TAGS: readonly string[] = ["load_test", "testid"];

/** Tags of measures: those that do not name the load test. */
export function measureTagsOf(point: LinePoint): MeasureTags {
  return [...point.tags()].filter(([name]) => !LOAD_TEST_TAGS.includes(name));
}

/** The values of points that are false and true. */
export const FALSE: ReadonlySet<string> = new Set(["f", "F", "false", "False", "FALSE"]);
export const TRUE: ReadonlySet<string> = new Set(["t", "T", "true", "True", "TRUE"]);

/** A field times 10^`scale`; `undefined` if it is missing or cannot be read. */
export function scaledField(point: LinePoint, name: string, scale: number): number | undefined {
  return scaledOf(decimalOf(point, name), scale);
}

/** Microseconds of a field in milliseconds; `undefined` if it is missing or cannot be read. */
export function microsOf(point: LinePoint, name: string): number | undefined {
  return scaledField(point, name, 3);
}

/** A field with a whole number; `undefined` if it is missing or has none. */
export function wholeField(point: LinePoint, name: string): number | undefined {
  const digits = Buffer.from(decimalOf(point, name));
  return readWhole(digits, 0, digits.length);
}

/** Java writes `1.2E7`; integers of line protocol may end with `i`. */
function decimalOf(point: LinePoint, name: string): string {
  return plainDecimal(point.text(point.field(name)).replace(/[iu]$/, ""));
}

/** Returns why the time of a point cannot be used; `undefined` if `into` has it. */
export function readTime({ time }: LinePoint, into: Instant): string | undefined {
  const isRead = readInstant(time, 0, time.length, into);
  return isRead && into.second > 0 && into.second < SECOND_LIMIT ? undefined : badTime(time);
}

export function badTime(time: Buffer): string {
  return `cannot read the time: got ${quoted(time.toString())}, want UNIX time, from 1970 to 2106`;
}

export function unreadable(point: LinePoint, name: string, want: string): string {
  const part = point.field(name) ?? point.tag(name);
  const got = part === undefined ? "nothing" : quoted(point.text(part));
  return `cannot read ${name}: got ${got}, want ${want}`;
}

/** Index of the label in a part of a point, shortened if it is too long. */
export function labelIn(
  { labels, repairs }: Pick<LineTargets, "labels" | "repairs">,
  point: LinePoint,
  part: number,
): number {
  const text = point.value(part);
  const label = labels.indexOf(text, 0, text.length);
  if (label !== LABEL_TOO_LONG) return label;
  repairs.add("label-shortened", labelTooLong());
  return labels.indexOfTooLong();
}

/** Index of the series of a label by the tags of a point; `usual`: tags or fields of the facets that it has by itself, unless they have their own. */
export function seriesIn(
  { facets }: Pick<LineTargets, "facets">,
  point: LinePoint,
  label: number,
  usual: Readonly<Record<string, string>> = {},
): number {
  const textOf = (name: string) => point.text(point.tag(name) ?? point.field(name));
  return facets.seriesBy(label, Object.keys(usual), (name) => {
    const text = textOf(name) || textOf(usual[name] ?? name);
    return name === "threadGroup" ? threadGroupOf(text) : text;
  });
}

/** Where a measure of a request counts. */
export interface MeasuredRequest {
  readonly label: number;
  readonly unixMillis: number;
  readonly isWhole: boolean;
}

/** Adds a phase of a request as a measure in ms; `undefined`: it is not known. */
export function recordPhase(
  targets: Pick<LineTargets, "measures">,
  request: MeasuredRequest,
  name: "latency" | "connect",
  micros: number | undefined,
): void {
  if (micros !== undefined) recordMeasure(targets, request, phase(name), micros / 1000);
}

export function recordMeasure(
  { measures }: Pick<LineTargets, "measures">,
  { label, unixMillis, isWhole }: MeasuredRequest,
  measure: EndpointMeasure,
  value: number,
): void {
  const series = measures.byMinute(measure, label);
  if (isWhole) measures.add(series, unixMillis, value);
  else measures.addToEndpoint(series, unixMillis, value);
}
