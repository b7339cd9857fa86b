import { MeasurementCollector } from "../../import/measurement-collector.ts";
import { isLoadTool } from "../../decode/otlp/load-tools.ts";
import { type OtlpForm, readTraces } from "../../decode/otlp/read-body.ts";
import type { Span, SpanSink } from "../../decode/otlp/span.ts";
import { SpanRequests } from "../../decode/otlp/span-requests.ts";
import { type OtlpBody, type OtlpMemory, type OtlpPart, sourceOf } from "./otlp-body.ts";
import { SpanIds } from "./seen-spans.ts";

/** A body of spans. */
export class SpansBody implements OtlpBody, SpanSink {
  readonly #memory: OtlpMemory;
  readonly #own = new SpanIds();
  readonly #sources = new Map<
    string,
    { collector: MeasurementCollector; requests: SpanRequests }
  >();
  /** Of the current service; `undefined` if it is no load tool. */
  #requests: SpanRequests | undefined;
  #foreign = 0;

  /** Throws `bad-batch`. */
  constructor(body: Uint8Array, form: OtlpForm, memory: OtlpMemory) {
    this.#memory = memory;
    readTraces(body, form, this);
  }

  begin(service: string, scope: string): void {
    this.#requests = isLoadTool(service, scope) ? this.#requestsOf(service) : undefined;
  }

  take(span: Span): void {
    if (this.#requests === undefined) this.#foreign += 1;
    else this.#requests.take(span);
  }

  get parts(): readonly OtlpPart[] {
    return Array.from(this.#sources, ([sourceId, { collector, requests }]) => {
      requests.rows.flush();
      const { labels, failureKinds } = requests.rows;
      const tables = { labels: labels.texts, failureKinds, generators: [] };
      return { sourceId, format: "otlp-spans", collector, tables };
    });
  }

  get remarks(): readonly string[] {
    if (this.#foreign === 0) return [];
    return [`spans of services that are no load tools: ${this.#foreign}`];
  }

  commit(): void {
    this.#memory.spans.add(this.#own);
  }

  #requestsOf(service: string): SpanRequests {
    const sourceId = sourceOf("otlp-spans", service);
    const known = this.#sources.get(sourceId);
    if (known !== undefined) return known.requests;
    const collector = new MeasurementCollector({ isSmall: true });
    const requests = new SpanRequests(collector, (high, low) => this.#isNew(high, low));
    this.#sources.set(sourceId, { collector, requests });
    return requests;
  }

  #isNew(high: number, low: number): boolean {
    return !this.#memory.spans.has(high, low) && this.#own.add(high, low);
  }
}
