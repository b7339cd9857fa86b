import { MeasurementCollector } from "../../import/measurement-collector.ts";
import { isLoadTool } from "../../decode/otlp/load-tools.ts";
import { type OtlpForm, readTraces } from "../../decode/otlp/read-body.ts";
import type { Span, SpanSink } from "../../decode/otlp/span.ts";
import { SpanRequests } from "../../decode/otlp/span-requests.ts";
import type { OtlpMemory } from "./memories.ts";
import { SERVICES_MAX } from "../../decode/otlp/metric-measures.ts";
import { collectorFor, type OtlpBody, type OtlpPart, sourceOf } from "./otlp-body.ts";
import { SpanIds } from "./seen-spans.ts";

interface Source {
  readonly collector: MeasurementCollector;
  readonly requests: SpanRequests;
}

/** A body of spans. */
export class SpansBody implements OtlpBody, SpanSink {
  #tooMany = 0;
  #tooLong = 0;
  readonly #memory: OtlpMemory;
  readonly #own = new SpanIds();
  readonly #sources = new Map<string, Source>();
  /** Of the current service. */
  #requests: SpanRequests | "foreign" | "too-many" = "foreign";
  #foreign = 0;

  readonly #body: Uint8Array;
  readonly #form: OtlpForm;

  constructor(memory: OtlpMemory, body: Uint8Array, form: OtlpForm) {
    this.#memory = memory;
    this.#body = body;
    this.#form = form;
  }

  read(): Generator<void> {
    return readTraces(this.#body, this.#form, this);
  }

  begin(service: string, scope: string): void {
    const next = isLoadTool(service, scope) ? this.#requestsOf(service) : "foreign";
    if (next === this.#requests) return;
    // All services fill the same batch.
    if (typeof this.#requests === "object") this.#requests.rows.flush();
    this.#requests = next;
  }

  take(span: Span): void {
    if (this.#requests === "foreign") this.#foreign += 1;
    else if (this.#requests === "too-many") this.#tooMany += 1;
    else this.#requests.take(span);
  }

  refuse(): void {
    this.#tooLong += 1;
  }

  get rejected(): number {
    return this.#tooMany + this.#tooLong;
  }

  get parts(): readonly OtlpPart[] {
    let rejectedRows = this.rejected;
    return Array.from(this.#sources, ([sourceId, { collector, requests }]) => {
      requests.rows.flush();
      const { labels, failureKinds, count } = requests.rows;
      const tables = { labels: labels.texts, failureKinds, generators: [] };
      const repairedRows =
        this.#memory.isIncomplete && count > 0 ? { "repeats-unknown": count } : {};
      const rows = { rejectedRows, repairedRows };
      rejectedRows = 0;
      return { sourceId, format: "otlp-spans", collector, tables, rows };
    });
  }

  get remarks(): readonly string[] {
    const counts = [
      ["spans of services that are no load tools", this.#foreign],
      ["spans of over 1 MiB, which are not stored", this.#tooLong],
      [
        `spans of more than ${SERVICES_MAX} services in one body, which are not stored (send smaller bodies)`,
        this.#tooMany,
      ],
    ] as const;
    return counts.flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
  }

  commit(): void {
    this.#memory.spans.add(this.#own);
  }

  #requestsOf(service: string): SpanRequests | "too-many" {
    const sourceId = sourceOf("otlp-spans", service);
    const known = this.#sources.get(sourceId);
    if (known !== undefined) return known.requests;
    if (this.#sources.size === SERVICES_MAX) return "too-many";
    const collector = collectorFor(this.#sources.size);
    const [first] = this.#sources.values();
    const requests = new SpanRequests(
      collector,
      (high, low) => this.#isNew(high, low),
      first?.requests.rows.batch,
    );
    this.#sources.set(sourceId, { collector, requests });
    return requests;
  }

  #isNew(high: number, low: number): boolean {
    return !this.#memory.spans.has(high, low) && this.#own.add(high, low);
  }
}
