import { createHash } from "node:crypto";
import {
  addChildSpan,
  CHILD_SPAN_TEXTS,
  CHILD_SPANS,
  type ChildSpan,
  cutSpan,
  dividedEntries,
  longestSpans,
  traceOf,
} from "../../model/samples/child-spans.ts";
import { redactText } from "../../model/samples/redact.ts";
import type { Points } from "../../store/store.ts";
import { appendOnce, NO_MEASUREMENTS, sequenceOf } from "../append-fitting.ts";

/** Of a load test. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Of a span without its names, roughly. */
const SPAN_BYTES = 256;

/** Names are read further than they are kept, see `charactersRead`. */
const READ = 4;

/**
 * Spans of the system under test whose request may still be chosen: they come before it, or before a file of the load tool is
 * imported. At most 4 MB; beyond it, half of the older traces go, those whose longest span is the shortest.
 */
export class WaitingSpans {
  /** Longest first; in order of their first span. */
  readonly #traces = new Map<string, ChildSpan[]>();
  #bytes = 0;
  /** When the last one came, by a monotonic clock. */
  addedAtMs = 0;
  /** So far. */
  added = 0;
  /** What `storeWaiting` looked at last. */
  looked = "";

  get bytes(): number {
    return this.#bytes;
  }

  add(span: ChildSpan): void {
    this.added += 1;
    const { traceId, service, operation } = span;
    const ofTrace = this.#traces.get(traceId) ?? [];
    this.#traces.set(traceId, ofTrace);
    this.#bytes -= bytesOf(ofTrace);
    addChildSpan(ofTrace, {
      ...span,
      service: startOf(service, READ * CHILD_SPAN_TEXTS.service),
      operation: startOf(operation, READ * CHILD_SPAN_TEXTS.operation),
    });
    this.#bytes += bytesOf(ofTrace);
    if (this.#bytes > BYTES_MAX) this.#drop();
  }

  /** Those of some traces, without secrets, by trace and length; they wait until they are `stored`. */
  of(traces: ReadonlySet<string>): readonly ChildSpan[] {
    const clean = new Map<string, string>();
    const redact = (name: string): string => {
      const known = clean.get(name) ?? redactText(name);
      clean.set(name, known);
      return known;
    };
    return [...traces]
      .toSorted()
      .flatMap((trace) => this.#traces.get(trace) ?? [])
      .map((span) => cutSpan(span, redact));
  }

  /** Forgets them, but not what has come since. */
  stored(spans: readonly ChildSpan[]): void {
    for (const [traceId, own] of Map.groupBy(spans, (span) => span.traceId)) {
      const stored = new Set(own.map(({ spanId }) => spanId));
      const others = this.#traces.get(traceId)?.filter(({ spanId }) => !stored.has(spanId)) ?? [];
      this.#forget(traceId);
      if (others.length === 0) continue;
      this.#traces.set(traceId, others);
      this.#bytes += bytesOf(others);
    }
  }

  #drop(): void {
    const older = [...this.#traces].slice(0, Math.ceil(this.#traces.size / 2));
    const longest = ([, [first]]: (typeof older)[number]): number => first?.elapsedMicros ?? 0;
    const shortest = older.toSorted((one, other) => longest(one) - longest(other));
    for (const [trace] of shortest.slice(0, Math.ceil(older.length / 2))) this.#forget(trace);
  }

  #forget(trace: string): void {
    this.#bytes -= bytesOf(this.#traces.get(trace) ?? []);
    this.#traces.delete(trace);
  }
}

/** In memory of its own: a part of a text keeps all of it. */
function startOf(text: string, unitsMax: number): string {
  const start = text.length <= unitsMax ? text : Buffer.from(text.slice(0, unitsMax)).toString();
  return start.toWellFormed();
}

function bytesOf(spans: readonly ChildSpan[]): number {
  return spans.reduce(
    (sum, { service, operation }) => sum + SPAN_BYTES + service.length + operation.length,
    0,
  );
}

/** Stores those of requests that are kept by now, unless ten longer ones of their trace are stored. Throws `storage-full`, `damaged-store`; all wait on then. */
export async function storeWaiting(
  points: Pick<Points, "append" | "liveSources" | "snapshot">,
  loadTestId: string,
  waiting: WaitingSpans,
): Promise<void> {
  const snapshot = await points.snapshot(loadTestId);
  if (snapshot === undefined) return;
  try {
    const looked = `${snapshot.revision} ${waiting.added}`;
    if (looked === waiting.looked) return;
    const { samples, spans: stored } = dividedEntries(await snapshot.samples());
    const found = waiting.of(new Set(samples.map(traceOf)));
    waiting.looked = looked;
    const spans = newAmongLongest(found, stored);
    if (spans.length === 0) return waiting.stored(found);
    const digest = createHash("sha256").update(JSON.stringify(spans)).digest("hex");
    const { labels, points: none } = NO_MEASUREMENTS;
    await appendOnce(
      { points },
      {
        loadTestId,
        sourceId: CHILD_SPANS,
        visibility: "live",
        format: CHILD_SPANS,
        sequence: sequenceOf(digest),
        labels,
        points: none,
        samples: spans,
      },
    );
    waiting.stored(found);
  } finally {
    snapshot.release();
  }
}

function newAmongLongest(
  found: readonly ChildSpan[],
  stored: readonly ChildSpan[],
): readonly ChildSpan[] {
  const traces = new Set(found.map(({ traceId }) => traceId));
  const known = stored.filter(({ traceId }) => traces.has(traceId));
  // Of equal spans, the first one stays.
  const longest = new Set([...longestSpans([...known, ...found]).values()].flat());
  return found.filter((span) => longest.has(span));
}
