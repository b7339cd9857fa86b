import type { FacetValues } from "../../decode/decoder.ts";
import { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import type { StoredText } from "../../store/store.ts";
import { REMOTE_WRITE_SOURCES } from "./otlp-body.ts";
import { SeenSpans } from "./seen-spans.ts";
import { WaitingSpans } from "./waiting-spans.ts";

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
  /** The totals of the series as last read or written here; another server may have kept others since. */
  totals: string | undefined;
  /** Whether the last totals of the series were kept, so that none are due until the series change. */
  isKept: boolean;
  /** Those seen so far, by facet. */
  readonly facetValues: FacetValues;
  /** Whether anything was stored by it. */
  hasStored: boolean;
  /** Whether earlier spans were forgotten while the load test was under way. */
  readonly isIncomplete: boolean;
}

/** `totals`: those that are kept of the load test. */
export function newMemory(
  sources: ReadonlySet<string>,
  totals: string | undefined,
): Omit<OtlpMemory, "isIncomplete"> {
  const known = totals === undefined ? undefined : CumulativeSeries.read(totals);
  const series = known ?? new CumulativeSeries(!hasOtlp(sources));
  return {
    spans: new SeenSpans(),
    waiting: new WaitingSpans(),
    series,
    facetValues: new Map(),
    totals,
    isKept: true,
    hasStored: false,
  };
}

export function hasOtlp(sources: ReadonlySet<string>): boolean {
  const remote: ReadonlySet<string> = new Set(REMOTE_WRITE_SOURCES);
  return [...sources].some((sourceId) => sourceId.startsWith("otlp-") || remote.has(sourceId));
}

/** Goes on from the totals that another server on the database has kept. */
export async function joinTotals(
  memory: OtlpMemory,
  state: Pick<StoredText, "find">,
): Promise<void> {
  const totals = await state.find();
  if (totals === undefined || totals === memory.totals) return;
  memory.series = memory.series.joined(totals);
  memory.totals = totals;
}

/** Keeps totals, joined with those that another server has kept since these were read. */
export async function keepTotals(
  state: Pick<StoredText, "find" | "replace">,
  memory: OtlpMemory,
  totals: string,
): Promise<void> {
  let [present, wanted] = [memory.totals, totals];
  while (!(await state.replace(present, wanted))) {
    present = await state.find();
    wanted =
      present === undefined
        ? totals
        : (CumulativeSeries.read(totals)?.joined(present).write() ?? totals);
  }
  // What another server has kept is joined with the next body.
  memory.totals = wanted === totals ? totals : undefined;
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
    const { spans, waiting, series, totals = "" } = memory;
    const bytes = spans.bytes + waiting.bytes + series.bytes + totals.length;
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
