import type { SampleBatch } from "../../model/sample-batch.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { FailureKinds, failureNotes } from "../failure-kinds.ts";
import { KeptRequests, UNEXPLAINED } from "../kept-requests.ts";
import { LABEL_TOO_LONG, LabelTable, labelNotes, labelTooLong } from "../labels/label-table.ts";
import { FacetedLabels, NO_FACETS } from "../labels/faceted-labels.ts";
import { LabelTemplate } from "../labels/label-template.ts";
import type { EndpointMeasure } from "../measures/endpoint-measures.ts";
import { NumberColumns } from "../measures/number-columns.ts";
import { RequestMeasures } from "../measures/request-measures.ts";
import { RowRepairs } from "../row-repairs.ts";
import { SampleRows } from "../sample-rows.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { LineReader, type LineHandler } from "../bytes/line-reader.ts";
import { WindowDecoder } from "../window-decoder.ts";

const encoder = new TextEncoder();

/** One request. Reused from record to record. */
export interface Request {
  /** UNIX second of its start; 0: unknown. */
  second: number;
  /** Of the second of its start. @default 0 */
  millis: number;
  elapsedMicros: number;
  /** Without a response time; `elapsedMicros` is 0 then. */
  isUntimed: boolean;
  /** `undefined`: unknown. */
  receivedBytes: number | undefined;
  hasFailed: boolean;
  /** Reason of the failure, if recorded. */
  code: string;
  message: string;
}

interface RequestRowsOptions extends Pick<DecodeOptions, "labels" | "labelTemplate" | "facets"> {
  /** To be filled: empty whenever another fills it. @default one that nobody else fills */
  readonly batch?: SampleBatch | undefined;
}

const MICROS_PER_SECOND = 1_000_000;
const MICROS_PER_MILLI = 1000;

export function startAt(request: Request, unixMicros: number): void {
  request.second = Math.floor(unixMicros / MICROS_PER_SECOND);
  const within = unixMicros - request.second * MICROS_PER_SECOND;
  request.millis = Math.floor(within / MICROS_PER_MILLI);
}

/** Records requests one at a time, with their failures. */
export class RequestRows {
  readonly labels: LabelTable;
  readonly facets: FacetedLabels;
  /** @default labels as recorded */
  readonly template: LabelTemplate | undefined;
  readonly failureKinds: readonly FailureKind[];
  /** Must be filled before `record`. */
  readonly request: Request = {
    second: 0,
    millis: 0,
    elapsedMicros: 0,
    isUntimed: false,
    receivedBytes: undefined,
    hasFailed: false,
    code: "",
    message: "",
  };
  readonly repairs = new RowRepairs();
  count = 0;
  hasSizes = false;
  /** Of the last request. */
  #label = 0;
  readonly #kept: KeptRequests;
  readonly #fields: readonly string[];
  readonly #kinds = new FailureKinds();
  readonly #sink: SampleSink;
  readonly #rows: SampleRows;
  readonly #measures: RequestMeasures;
  readonly #columns: NumberColumns;

  /** `fields`: of `labelOf`; `measures`: of `measure`. Throws `bad-parameter` for an invalid template. */
  constructor(
    sink: SampleSink,
    { labels, labelTemplate, facets, batch }: RequestRowsOptions,
    fields: readonly string[] = [],
    measures: readonly EndpointMeasure[] = [],
  ) {
    this.labels = new LabelTable(labels);
    this.facets = new FacetedLabels(this.labels, facets);
    this.#fields = fields;
    if (labelTemplate !== undefined) this.template = new LabelTemplate(labelTemplate, fields);
    this.#measures = new RequestMeasures(sink.measures, measures);
    this.#columns = new NumberColumns(sink.measures);
    this.#sink = sink;
    this.#rows = new SampleRows(sink, batch);
    this.#kept = new KeptRequests(sink);
    this.failureKinds = this.#kinds.kinds;
    this.details = () => ({});
  }

  /** What else is known of the open request, as `KeptRequests.details`; called while it is recorded. */
  set details(details: () => FurtherDetails) {
    const { request } = this;
    this.#kept.details = () => ({ receivedBytes: request.receivedBytes, ...details() });
  }

  get batch(): SampleBatch {
    return this.#rows.batch;
  }

  begin(): Request {
    const { request } = this;
    request.second = 0;
    request.millis = 0;
    request.elapsedMicros = 0;
    request.isUntimed = false;
    request.receivedBytes = undefined;
    request.hasFailed = false;
    request.code = "";
    request.message = "";
    this.repairs.clear();
    return request;
  }

  /** Index of the label by the template, from the values of fields, else of `usual`; or `LABEL_TOO_LONG`. */
  labelOf(values: object, usual: string): number {
    if (this.template === undefined) return this.labels.indexOfText(usual);
    const texts = new Map<string, unknown>(Object.entries(values));
    return this.template.indexIn(this.labels, (field) =>
      encoder.encode(String(texts.get(this.#fields[field] as string))),
    );
  }

  /** Notes that the response time of the open request cannot be read. */
  untime(reason: string): void {
    this.request.elapsedMicros = 0;
    this.request.isUntimed = true;
    this.repairs.add("time-unknown", reason);
  }

  /** Notes that neither the start nor the response time of the open request can be read. */
  untimeStartToo(reason: string): void {
    this.untime(reason);
    this.request.second = 0;
    this.repairs.add("start-unknown", reason);
  }

  /** The label itself, or the shortened one if it is too long. */
  storable(label: number): number {
    if (label !== LABEL_TOO_LONG) return label;
    this.repairs.add("label-shortened", labelTooLong());
    return this.labels.indexOfTooLong();
  }

  /** Why the start of the open request cannot be stored; `undefined` if it can. */
  get startComplaint(): string | undefined {
    const { second } = this.request;
    return second < 0 || second >= SECOND_LIMIT
      ? "the start cannot be stored: want a time from 1970 to 2106"
      : undefined;
  }

  /** Records the request under the index of a label, shortened if it is too long, with a set of facets. Returns why it cannot be recorded. */
  record(found: number, set = NO_FACETS): string | undefined {
    const label = this.storable(found);
    this.#label = label;
    const { second, isUntimed, receivedBytes, hasFailed, code, message } = this.request;
    const { startComplaint } = this;
    if (startComplaint !== undefined) return startComplaint;
    const series = this.facets.series(label, set);
    if (isUntimed) this.#recordUntimed(series);
    else this.#rows.addRequest(series, second, this.request);
    if (receivedBytes !== undefined && !this.hasSizes) {
      this.hasSizes = true;
      this.#sink.confirmSizes();
    }
    this.count += 1;
    let kind = hasFailed ? UNEXPLAINED : undefined;
    if (hasFailed && (code !== "" || message !== "")) {
      const number = this.#kinds.numberOf(label, code, message);
      this.#sink.recordFailure(series, second, number, 1);
      kind = this.failureKinds[number];
    }
    if (!isUntimed) this.#kept.offer(series, this.request, kind);
    return undefined;
  }

  #recordUntimed(label: number): void {
    const { second, receivedBytes = 0, hasFailed } = this.request;
    const failedRequests = hasFailed ? 1 : 0;
    this.#rows.addUntimed(label, second, { requests: 1, failedRequests, receivedBytes });
  }

  /** Adds a value of the request just recorded. NaN is counted as not stored. */
  measure(measure: number, value: number): void {
    this.#measures.add(measure, this.#label, this.request.second, value);
  }

  /** Adds a value of the request just recorded to a distribution that the source names, as `RequestMeasures.addNamed`. */
  measureNamed(name: string, unit: string, value: number): void {
    this.#measures.addNamed({ name, unit }, this.#label, this.request.second, value);
  }

  /** Adds a number of the request just recorded, as `NumberColumns`. */
  addColumn(name: string, contents: Uint8Array): void {
    const column = { name };
    if (!this.#columns.wants(column)) return;
    this.#columns.add(column, { label: this.#label, second: this.request.second }, contents);
  }

  flush(): void {
    this.#rows.flush();
    this.#measures.flush();
    this.#columns.flush();
  }

  notes(): string[] {
    return [...failureNotes(this.#kinds), ...labelNotes(this.labels), ...this.facets.notes()];
  }
}

export interface RequestLines extends Omit<LineHandler, "repairs"> {
  readonly rows: RequestRows;
  readonly generators?: readonly string[];
  /** Called at the end; may record what waited for it. @default none */
  notes?(): readonly string[];
}

export function lineDecoder(lines: RequestLines, sink: SampleSink): WindowDecoder {
  const window = new ByteWindow();
  const { rows, generators } = lines;
  const handler = {
    take: lines.take.bind(lines),
    isWhole: lines.isWhole.bind(lines),
    repairs: rows.repairs,
  };
  return new WindowDecoder(window, {
    reader: new LineReader(window, handler, sink),
    rows,
    generators,
    finish: () => [...(lines.notes?.() ?? []), ...rows.notes()],
  });
}
