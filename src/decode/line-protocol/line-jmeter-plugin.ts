import type { Instant } from "../bytes/k6-instant.ts";
import { SampleRows } from "../sample-rows.ts";
import type { LinePoint } from "./line-point.ts";
import {
  labelIn,
  type LineTargets,
  microsOf,
  readTime,
  recordPhase,
  seriesIn,
  unreadable,
  wholeField,
} from "./point-values.ts";

export type PluginShape = "request" | "users";

const REQUESTS_MAX = 2 ** 32 - 1;
/** What the plug-in writes for no message. */
const NO_MESSAGE = "noData";

/** Names of a field in the plug-ins. */
const SIZES = ["receivedBytes", "responseBytes"];
const LATENCIES = ["latency", "responseLatency"];
const CODES = ["responseCode", "resultCode"];

interface TimedRequests {
  readonly elapsedMicros: number;
  readonly receivedBytes: number;
  readonly requests: number;
  readonly failedRequests: number;
}

interface FailedRequests {
  readonly label: number;
  readonly series: number;
  readonly second: number;
  readonly failedRequests: number;
}

const FACETS = { threadGroup: "threadName", hostname: "nodeName" };

/** `undefined` for other points. */
export function pluginShapeOf(point: LinePoint): PluginShape | undefined {
  const { measurement } = point;
  if (measurement === "virtualUsers" && point.field("maxActiveThreads") !== undefined)
    return "users";
  const isRequest =
    measurement === "requestsRaw" &&
    point.tag("requestName") !== undefined &&
    point.field("responseTime") !== undefined;
  return isRequest ? "request" : undefined;
}

/** Handles the points of the JMeter plug-ins of NovaTec and mderevyanko: docs/internals/formats/line-protocol.md. */
export class LineJmeterPlugin {
  readonly #targets: LineTargets;
  readonly #rows: SampleRows;
  readonly #instant: Instant = { second: 0, nanos: 0, hasParts: false };

  constructor(targets: LineTargets) {
    this.#targets = targets;
    this.#rows = new SampleRows(targets.sink);
  }

  /** Returns why a point cannot be used. */
  take(point: LinePoint, shape: PluginShape): string | undefined {
    const complaint = readTime(point, this.#instant);
    if (complaint !== undefined) return complaint;
    return shape === "users" ? this.#takeUsers(point) : this.#takeRequest(point);
  }

  flush(): void {
    this.#rows.flush();
  }

  #takeRequest(point: LinePoint): string | undefined {
    const requests = point.field("count") === undefined ? 1 : wholeField(point, "count");
    if (requests === undefined || requests === 0 || requests > REQUESTS_MAX) {
      return unreadable(point, "count", `a number from 1 to ${REQUESTS_MAX}`);
    }
    const failedRequests = wholeField(point, "errorCount");
    if (failedRequests === undefined || failedRequests > requests) {
      return unreadable(point, "errorCount", `a number from 0 to ${requests}`);
    }
    const label = labelIn(this.#targets, point, point.tag("requestName") as number);
    const series = seriesIn(this.#targets, point, label, FACETS);
    const elapsedMicros = microsOf(point, "responseTime");
    const startMs = Math.max(0, this.#atMs - (elapsedMicros ?? 0) / 1000);
    const second = Math.floor(startMs / 1000);
    const counts = { requests, failedRequests, receivedBytes: this.#sizeOf(point) };
    if (elapsedMicros === undefined) {
      this.#targets.repairs.add("time-unknown", unreadable(point, "responseTime", "milliseconds"));
      this.#rows.addUntimed(series, second, counts);
    } else this.#addTimed(series, second, { ...counts, elapsedMicros });
    if (failedRequests > 0) this.#recordFailure(point, { label, series, second, failedRequests });
    const of = { label, unixMillis: startMs, isWhole: this.#targets.isWhole(label) };
    recordPhase(this.#targets, of, "latency", firstScaled(point, LATENCIES));
    recordPhase(this.#targets, of, "connect", microsOf(point, "connectTime"));
    return undefined;
  }

  #addTimed(
    series: number,
    second: number,
    { elapsedMicros, receivedBytes, requests, failedRequests }: TimedRequests,
  ): void {
    const { batch } = this.#rows;
    const row = batch.rows;
    batch.label[row] = series;
    batch.second[row] = second;
    batch.elapsedMicros[row] = elapsedMicros;
    batch.receivedBytes[row] = receivedBytes;
    batch.requests[row] = requests;
    batch.failedRequests[row] = failedRequests;
    this.#rows.advance();
  }

  get #atMs(): number {
    return this.#instant.second * 1000 + Math.floor(this.#instant.nanos / 1_000_000);
  }

  #sizeOf(point: LinePoint): number {
    const name = SIZES.find((each) => point.field(each) !== undefined);
    const bytes = name === undefined ? undefined : wholeField(point, name);
    if (bytes !== undefined) this.#targets.sink.confirmSizes();
    return bytes ?? 0;
  }

  #recordFailure(
    point: LinePoint,
    { label, series, second, failedRequests }: FailedRequests,
  ): void {
    const [code = ""] = CODES.map((each) => point.text(point.tag(each))).filter(Boolean);
    const message = point.text(point.tag("errorMessage"));
    const known = message === NO_MESSAGE ? "" : message;
    if (code === "" && known === "") return;
    const { sink, kinds } = this.#targets;
    sink.recordFailure(series, second, kinds.numberOf(label, code, known), failedRequests);
  }

  #takeUsers(point: LinePoint): string | undefined {
    const active = wholeField(point, "maxActiveThreads");
    if (active === undefined) return unreadable(point, "maxActiveThreads", "a whole number");
    const { sink, generators } = this.#targets;
    const node = point.tag("nodeName");
    const generator = node === undefined ? 0 : generators.indexOfText(point.text(node));
    // A name that is too long counts as the sender.
    sink.recordActiveUsers(Math.max(0, generator), this.#instant.second, active);
    return undefined;
  }
}

function firstScaled(point: LinePoint, names: readonly string[]): number | undefined {
  const name = names.find((each) => point.field(each) !== undefined);
  return name === undefined ? undefined : microsOf(point, name);
}
