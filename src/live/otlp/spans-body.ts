import { MeasurementCollector } from "../../import/measurement-collector.ts";
import type { SampleOptions } from "../../model/samples/sample-choice.ts";
import { WRITE_CHARACTERS_MAX } from "../../decode/kept-requests.ts";
import { isLoadTool } from "../../decode/otlp/load-tools.ts";
import type { FacetOptions } from "../../decode/decoder.ts";
import { facetNames } from "../../decode/labels/faceted-labels.ts";
import type { Facets } from "../../model/series/facets.ts";
import { type OtlpForm, readTraces } from "../../decode/otlp/read-body.ts";
import { attributeNamed } from "../../decode/otlp/json-values.ts";
import { type Span, SPAN_FACETS, type SpanSink } from "../../decode/otlp/span.ts";
import { SpanRequests } from "../../decode/otlp/span-requests.ts";
import type { OtlpMemory } from "./memories.ts";
import { SERVICES_MAX } from "../../decode/otlp/metric-measures.ts";
import { type OtlpBody, type OtlpPart, sourceOf } from "./otlp-body.ts";
import { SpanIds } from "./seen-spans.ts";

interface Source {
  readonly collector: MeasurementCollector;
  readonly requests: SpanRequests;
}

export interface SpansGiven {
  readonly body: Uint8Array;
  readonly form: OtlpForm;
  readonly facets?: FacetOptions | undefined;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
}

/** A body of spans. */
export class SpansBody implements OtlpBody, SpanSink {
  readonly asked: readonly string[];
  #tooMany = 0;
  #tooLong = 0;
  readonly #memory: OtlpMemory;
  readonly #own = new SpanIds();
  readonly #sources = new Map<string, Source>();
  /** Of the current service. */
  #requests: SpanRequests | "foreign" | "too-many" = "foreign";
  #foreign = 0;
  /** Facets of the current resource. */
  #resource: Facets = [];

  readonly #facets: FacetOptions | undefined;
  readonly #samples: SampleOptions | undefined;
  readonly #texts = { left: WRITE_CHARACTERS_MAX };
  readonly #body: Uint8Array;
  readonly #form: OtlpForm;

  constructor(memory: OtlpMemory, { body, form, facets, samples }: SpansGiven) {
    this.#samples = samples;
    this.#memory = memory;
    this.#body = body;
    this.#form = form;
    this.#facets = facets;
    this.asked = facetNames(SPAN_FACETS, facets);
  }

  read(): Generator<void> {
    return readTraces(this.#body, this.#form, this);
  }

  begin(service: string, scope: string, attributes: unknown): void {
    const values = this.asked.map((name) => [name, attributeNamed(attributes, name)] as const);
    this.#resource = values.filter(([, value]) => value !== "");
    const next = isLoadTool(service, scope) ? this.#requestsOf(service) : "foreign";
    if (next === this.#requests) return;
    // All services fill the same batch.
    if (typeof this.#requests === "object") this.#requests.rows.flush();
    this.#requests = next;
  }

  take(span: Span): void {
    if (this.#requests === "foreign") this.#foreign += 1;
    else if (this.#requests === "too-many") this.#tooMany += 1;
    else this.#requests.take(span, this.#resource);
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
    const unusual = counts.flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
    const sources = [...this.#sources.values()];
    return [...unusual, ...sources.flatMap(({ requests }) => requests.rows.facets.notes())];
  }

  commit(): void {
    this.#memory.spans.add(this.#own);
  }

  #requestsOf(service: string): SpanRequests | "too-many" {
    const sourceId = sourceOf("otlp-spans", service);
    const known = this.#sources.get(sourceId);
    if (known !== undefined) return known.requests;
    if (this.#sources.size === SERVICES_MAX) return "too-many";
    const collector = new MeasurementCollector({ isSmall: true, samples: this.#samples });
    const [first] = this.#sources.values();
    const requests = new SpanRequests(collector, (high, low) => this.#isNew(high, low), {
      facets: this.#facets,
      batch: first?.requests.rows.batch,
      texts: this.#texts,
    });
    if (collector.samples !== undefined) collector.samples.labels = requests.rows.labels.texts;
    this.#sources.set(sourceId, { collector, requests });
    return requests;
  }

  #isNew(high: number, low: number): boolean {
    return !this.#memory.spans.has(high, low) && this.#own.add(high, low);
  }
}
