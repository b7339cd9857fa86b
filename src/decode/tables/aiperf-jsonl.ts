import type { JsonFields } from "../json/json-fields.ts";
import { ALL_REQUESTS } from "../labels/label-template.ts";
import { requestJsonFormat } from "../requests/request-json.ts";
import { type RequestRows, startAt } from "../requests/request-rows.ts";
import { AIPERF_JSONL } from "./about.ts";

/** What AIPerf writes with `--export-level records`, its default: aiperf/common/models/record_models.py. */
export const aiperfJsonl = requestJsonFormat({
  ...AIPERF_JSONL,
  signs: [/"metadata":\s*\{/, /"request_start_ns":/, /"metrics":/],
  open(rows) {
    let warmedUp = 0;
    return {
      read(line) {
        const [metadata, metrics] = [line.object("metadata"), line.object("metrics")];
        if (metadata.textIfKnown("benchmark_phase") === "warmup") {
          warmedUp += 1;
          return undefined;
        }
        startAt(rows.request, Number(metadata.nanos("request_start_ns") / 1000n));
        rows.details = () => ({ thread: metadata.textIfKnown("worker_id") });
        readOutcome(rows, metadata, line.objectIfKnown("error"));
        readTime(rows, metadata, metrics);
        const fields = Object.fromEntries(
          AIPERF_JSONL.labelFields.map((field) => [field, metadata.textIfKnown(field)]),
        );
        const parts = [metadata, metrics];
        return { fields, label: ALL_REQUESTS, parts, measures: measuresIn(metrics) };
      },
      notes: () =>
        warmedUp === 0
          ? []
          : [`requests of the warm-up, left out as in AIPerf's report: ${warmedUp}`],
    };
  },
});

function readOutcome(
  { request }: RequestRows,
  metadata: JsonFields,
  error: JsonFields | undefined,
): void {
  const isCancelled = metadata.textIfKnown("was_cancelled") === "true";
  request.hasFailed = isCancelled || error !== undefined;
  if (error === undefined) {
    request.message = isCancelled ? "cancelled" : "";
    return;
  }
  request.code = error.textIfKnown("code") || error.textIfKnown("type");
  request.message = error.textIfKnown("message");
}

const MICRO_DECIMALS_OF_MS = 3;

/** A failed request has no latency, and a refused one ends when it starts. */
function readTime(rows: RequestRows, metadata: JsonFields, metrics: JsonFields): void {
  const { request } = rows;
  const latency = metrics.objectIfKnown("request_latency");
  const nanos = metadata.nanos("request_end_ns") - metadata.nanos("request_start_ns");
  const micros =
    latency === undefined ? Number(nanos / 1000n) : latency.decimal("value", MICRO_DECIMALS_OF_MS);
  if (micros === undefined || micros < 0) rows.untime("cannot read request_latency");
  else request.elapsedMicros = micros;
  request.isUntimed ||= request.hasFailed && micros === 0;
}

/** A metric has one value, or several of one request. */
function* measuresIn(metrics: JsonFields): Generator<readonly [string, string, number]> {
  for (const name of metrics.names) {
    const metric = metrics.objectIfKnown(name);
    const unit = metric?.textIfKnown("unit") ?? "";
    for (const value of metric?.numbers("value") ?? []) yield [name, unit, value];
  }
}
