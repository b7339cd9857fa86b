import { SECOND_LIMIT } from "../../model/columns.ts";
import type { FailureKind } from "../../model/failures.ts";
import {
  readAtOnce,
  type RequestDetails,
  SAMPLE_TEXTS,
} from "../../model/samples/request-sample.ts";
import { type Role, ROLES, strongerRole } from "../../model/role.ts";
import type { Instant } from "../bytes/k6-instant.ts";
import type { RepairKind } from "../../model/quality/repairs.ts";
import { withinBudget } from "../kept-requests.ts";
import type { RowRepairs } from "../row-repairs.ts";
import { USUAL_CODE } from "../jmeter/jmeter-measures.ts";
import type { EndpointMeasure } from "../measures/endpoint-measures.ts";
import { phase } from "../measures/request-measures.ts";
import { SampleRows } from "../sample-rows.ts";
import { type LinePoint, OWN_MEASUREMENT } from "./line-point.ts";
import {
  FALSE,
  labelIn,
  type LineTargets,
  readTime,
  recordMeasure,
  microsOf,
  scaledField,
  seriesIn,
  TRUE,
  unreadable,
  wholeField,
} from "./point-values.ts";

/** What our own integrations for JMeter and Locust send. */
const FACETS = { threadGroup: "threadName", hostname: "generator", userClass: "userClass" };

export function isOwnRequest(point: LinePoint): boolean {
  return point.measurement === OWN_MEASUREMENT && point.field("label") !== undefined;
}

/** Handles the points of our own integrations, a request each if its outcome can be read: docs/own-format.md. */
export class LineRequests {
  readonly #targets: LineTargets;
  readonly #rows: SampleRows;
  readonly #roles: (Role | undefined)[] = [];
  readonly #instant: Instant = { second: 0, nanos: 0, hasParts: false };

  constructor(targets: LineTargets) {
    this.#targets = targets;
    this.#rows = new SampleRows(targets.sink);
  }

  /** `undefined` if no point of this label was recorded. */
  roleOf(label: number): Role | undefined {
    return this.#roles[label];
  }

  /** Returns why a point cannot be used. */
  take(point: LinePoint): string | undefined {
    const complaint = readTime(point, this.#instant);
    if (complaint !== undefined) return complaint;
    const request = readRequest(point, this.#targets.repairs);
    if (typeof request === "string") return request;
    const label = this.#labelOf(point, request.role);
    this.#roles[label] = strongerRole(this.#roles[label] ?? request.role, request.role);
    const series = seriesIn(this.#targets, point, label, FACETS);
    this.#record(series, request);
    const kind = request.hasFailed ? this.#recordFailure(point, label, series) : undefined;
    if (!request.hasFailed) this.#recordPassed(request, label);
    this.#keep(point, request, { series, kind });
    if (request.users >= 0) this.#recordUsers(point, request);
    this.#recordMeasures(request, label);
    return undefined;
  }

  flush(): void {
    this.#rows.flush();
  }

  #record(series: number, request: OwnRequest): void {
    const { second } = this.#instant;
    const { elapsedMicros, receivedBytes, hasFailed } = request;
    if (elapsedMicros !== undefined) {
      this.#rows.addRequest(series, second, { elapsedMicros, receivedBytes, hasFailed });
      return;
    }
    const failedRequests = hasFailed ? 1 : 0;
    this.#rows.addUntimed(series, second, { requests: 1, failedRequests, receivedBytes });
  }

  get #atMs(): number {
    return this.#instant.second * 1000 + Math.floor(this.#instant.nanos / 1_000_000);
  }

  #recordMeasures({ role, measured }: OwnRequest, label: number): void {
    const place = { label, unixMillis: this.#atMs, isWhole: isWhole(role) };
    for (const { measure, value } of measured) {
      recordMeasure(this.#targets, place, measure, value);
    }
  }

  /** As of JMeter's files: requests with another code than the usual one. */
  #recordPassed({ role, code }: OwnRequest, label: number): void {
    if (code === "" || code === USUAL_CODE || !isWhole(role)) return;
    const { measures } = this.#targets;
    const tags = [["code", code]] as const;
    const counter = { name: "responses", unit: "", kind: "counter", tags } as const;
    measures.add(measures.bySecond(`responses ${code}`, label, counter), this.#atMs, 1);
  }

  #labelOf(point: LinePoint, role: Role): number {
    const { labels } = this.#targets;
    const label = labelIn(this.#targets, point, point.field("label") as number);
    return labels.isOverLimit(label) ? labels.overflowFor(role) : label;
  }

  /** Returns its kind. */
  #recordFailure(point: LinePoint, label: number, series: number): FailureKind {
    const [code, message] = [point.text(point.field("code")), point.text(point.field("message"))];
    if (code === "" && message === "") return NO_KIND;
    const { sink, kinds } = this.#targets;
    const number = kinds.numberOf(label, code, message);
    sink.recordFailure(series, this.#instant.second, number, 1);
    return kinds.kinds[number] ?? NO_KIND;
  }

  #keep(point: LinePoint, { elapsedMicros }: OwnRequest, { series, kind }: KeptAs): void {
    const { samples } = this.#targets.sink;
    if (samples === undefined || elapsedMicros === undefined) return;
    const times = { timeMs: this.#atMs, elapsedMicros };
    if (!samples.wants(series, times, kind)) return;
    const { sampleTexts } = this.#targets;
    const details = withinBudget(detailsOf(point), sampleTexts);
    samples.add(series, readAtOnce({ ...details, ...times, ...kind }));
  }

  /** Users were active when the request ended. */
  #recordUsers(point: LinePoint, { users, elapsedMicros = 0 }: OwnRequest): void {
    const { second, nanos } = this.#instant;
    const endSecond = second + Math.floor((nanos / 1000 + elapsedMicros) / 1_000_000);
    if (endSecond >= SECOND_LIMIT) return;
    const { sink, generators } = this.#targets;
    const part = point.tag("generator");
    const generator = part === undefined ? 0 : generators.indexOfText(point.text(part));
    // A name that is too long counts as the sender.
    sink.recordActiveUsers(Math.max(0, generator), endSecond, users);
  }
}

interface KeptAs {
  readonly series: number;
  readonly kind: FailureKind | undefined;
}

const NO_KIND: FailureKind = { code: "", message: "" };

/** A header of W3C Trace Context. */
const TRACE = /^traceparent: *[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-/im;

/** What else is known of a request: its phases and sizes, and texts as far as its sender has added them. */
function detailsOf(point: LinePoint): Partial<RequestDetails> {
  const texts = Object.keys(SAMPLE_TEXTS).map((name) => [name, point.text(point.field(name))]);
  const textOf = (...parts: readonly (number | undefined)[]): string =>
    point.text(parts.find((part) => part !== undefined));
  const [, traceId, spanId] = TRACE.exec(point.text(point.field("requestHeaders"))) ?? [];
  return {
    ...(traceId !== undefined && { traceId, spanId }),
    ...Object.fromEntries(texts.filter(([, text]) => text !== "")),
    thread: textOf(point.field("threadName"), point.field("userClass")),
    generator: textOf(point.field("hostname"), point.tag("generator")),
    latencyMicros: microsOf(point, "latencyMs"),
    connectMicros: microsOf(point, "connectMs"),
    idleMicros: microsOf(point, "idleMs"),
    sentBytes: wholeField(point, "sentBytes"),
    receivedBytes: wholeField(point, "receivedBytes"),
  };
}

interface OwnRequest {
  readonly role: Role;
  /** `undefined`: unknown. */
  readonly elapsedMicros: number | undefined;
  readonly receivedBytes: number;
  readonly hasFailed: boolean;
  /** -1: unknown. */
  readonly users: number;
  /** Of the response; empty: unknown. */
  readonly code: string;
  readonly measured: readonly { readonly measure: EndpointMeasure; readonly value: number }[];
}

/** Fields with the measures that they become, and their decimals. */
const MEASURED: readonly (readonly [field: string, measure: EndpointMeasure, scale: number])[] = [
  ["latencyMs", phase("latency"), 3],
  ["connectMs", phase("connect"), 3],
  ["idleMs", phase("idle"), 3],
  ["sentBytes", { name: "sent", unit: "By", kind: "counter" }, 0],
];

function isWhole(role: Role): boolean {
  return role === "request" || role === "unclear";
}

/** Returns why it cannot be counted, or the request without its label. */
function readRequest(point: LinePoint, repairs: RowRepairs): OwnRequest | string {
  const success = point.text(point.field("success"));
  const hasFailed = FALSE.has(success);
  if (!hasFailed && !TRUE.has(success)) return unreadable(point, "success", "true or false");
  const role = roleIn(point);
  if (role === undefined) return unreadable(point, "role", `one of ${ROLES.join(", ")}`);
  const known = <Value>(kind: RepairKind, value: Value | undefined, [name, wanted]: Wanted) => {
    if (value === undefined) repairs.add(kind, unreadable(point, name, wanted));
    return value;
  };
  const elapsedMicros = known("time-unknown", microsOf(point, "elapsedMs"), [
    "elapsedMs",
    "milliseconds",
  ]);
  const bytes = numberOr(0, point, "receivedBytes", 0);
  const receivedBytes = known("size-unknown", bytes, ["receivedBytes", "bytes"]) ?? 0;
  const active = numberOr(-1, point, "users", 0);
  const users = known("fields-misplaced", active, ["users", "a whole number"]) ?? -1;
  const measured = MEASURED.flatMap(([field, measure, scale]) => {
    const wanted = [field, scale === 0 ? "bytes" : "milliseconds"] as const;
    const value = known("fields-misplaced", numberOr(-1, point, field, scale), wanted) ?? -1;
    return value < 0 ? [] : [{ measure, value: value / 10 ** scale }];
  });
  const code = point.text(point.field("code"));
  return { role, elapsedMicros, receivedBytes, hasFailed, users, code, measured };
}

type Wanted = readonly [name: string, wanted: string];

/** A request if the point does not say. */
function roleIn(point: LinePoint): Role | undefined {
  const part = point.tag("role");
  return part === undefined ? "request" : ROLES.find((role) => point.holds(part, role));
}

/** `missing` if there is no such field; `undefined` if it cannot be read. */
function numberOr(
  missing: number,
  point: LinePoint,
  name: string,
  scale: number,
): number | undefined {
  if (point.field(name) === undefined) return missing;
  return scale === 0 ? wholeField(point, name) : scaledField(point, name, scale);
}
