import type { FacetValues } from "../../decode/decoder.ts";
import { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import { SeenSpans } from "./seen-spans.ts";
import type { WaitingSpans } from "./waiting-spans.ts";

/** Memory for all load tests together, in bytes. */
const BYTES_MAX = 64 * 1024 * 1024;

/** A load test without a body for this long is over: Collectors send again for 5 minutes. */
export const OVER_MS = 15 * 60_000;

/** Names of load tests that were dropped. */
const DROPPED_MAX = 10_000;

export interface OtlpMemory {
  readonly spans: SeenSpans;
  /** Of other services than load tools. */
  readonly waiting: WaitingSpans;
  series: CumulativeSeries;
  /** Those seen so far, by facet. */
  readonly facetValues: FacetValues;
  /** Whether anything was stored by it. */
  hasStored: boolean;
  /** Whether earlier spans were forgotten while the load test was under way. */
  readonly isIncomplete: boolean;
}

interface Entry {
  readonly memory: OtlpMemory;
  readonly bytes: number;
  readonly usedAtMs: number;
}

export interface MemoryLimits {
  readonly bytesMax: number;
}

/** Remembers the spans and totals of load tests, in bounded memory: those that were written to last. */
export class OtlpMemories {
  readonly #bytesMax: number;
  /** In order of use, least recent first. */
  readonly #entries = new Map<string, Entry>();
  /** Load tests that were forgotten while they were under way. */
  readonly #dropped = new Set<string>();
  #bytes = 0;

  constructor({ bytesMax }: MemoryLimits = { bytesMax: BYTES_MAX }) {
    this.#bytesMax = bytesMax;
  }

  find(key: string): OtlpMemory | undefined {
    return this.#entries.get(key)?.memory;
  }

  /** Forgets those that are over, and others than this one if they are too large. `clockMs` is of a monotonic clock. */
  keep(key: string, memory: OtlpMemory, clockMs: number): void {
    this.#forget(key);
    const bytes = memory.spans.bytes + memory.waiting.bytes + memory.series.bytes;
    this.#entries.set(key, { memory, bytes, usedAtMs: clockMs });
    this.#bytes += bytes;
    for (const [oldest, { usedAtMs }] of this.#entries) {
      const isOver = clockMs - usedAtMs >= OVER_MS;
      if (oldest === key || (!isOver && this.#bytes <= this.#bytesMax)) break;
      this.#forget(oldest);
      if (!isOver) this.#drop(oldest);
    }
  }

  hasDropped(key: string): boolean {
    return this.#dropped.has(key);
  }

  #drop(key: string): void {
    this.#dropped.add(key);
    for (const oldest of this.#dropped) {
      if (this.#dropped.size <= DROPPED_MAX) return;
      this.#dropped.delete(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
