/**
 * What the system under test did during a request that was kept whole: of each trace the ten longest spans.
 *
 * Spans have a total order by themselves, so the choice of a set does not depend on its order, nor on how it was split and
 * chosen from before: any of the ten longest of A + B is among the ten longest of its own part.
 */

import { cutText, type LabelledSample } from "./request-sample.ts";

const CHILD_SPANS_MAX = 10;

/** Source and format of spans that came live. */
export const CHILD_SPANS = "child-spans";

/** Texts of a span, with the bytes (UTF-8) that are kept of each. Ids are in lower-case hex. */
export const CHILD_SPAN_TEXTS = {
  traceId: 32,
  spanId: 16,
  parentId: 16,
  service: 64,
  operation: 128,
} as const;

type ChildSpanText = keyof typeof CHILD_SPAN_TEXTS;

/** A span of a service that is no load tool. `parentId` is empty in the first one of a trace. */
export interface ChildSpan extends Readonly<Record<ChildSpanText, string>> {
  /** Tells it from a request. */
  readonly label?: undefined;
  readonly elapsedMicros: number;
}

/** What stores and batches keep of single requests. */
export type SampleEntry = LabelledSample | ChildSpan;

/** Divides entries, in their order. */
export function dividedEntries(entries: readonly SampleEntry[]): {
  readonly samples: readonly LabelledSample[];
  readonly spans: readonly ChildSpan[];
} {
  return {
    samples: entries.filter((entry) => entry.label !== undefined),
    spans: entries.filter((entry) => entry.label === undefined),
  };
}

/** Adds a span to those of its trace, longest first, unless it is there or ten are longer. */
export function addChildSpan(spans: ChildSpan[], span: ChildSpan): void {
  const known = spans.findIndex(({ spanId }) => spanId === span.spanId);
  if (known !== -1) {
    if (compareSpans(spans[known] as ChildSpan, span) <= 0) return;
    spans.splice(known, 1);
  }
  const after = spans.findIndex((other) => compareSpans(span, other) < 0);
  spans.splice(after === -1 ? spans.length : after, 0, span);
  if (spans.length > CHILD_SPANS_MAX) spans.length = CHILD_SPANS_MAX;
}

/** The longest by trace; each trace longest first. */
export function longestSpans(
  spans: readonly ChildSpan[],
): ReadonlyMap<string, readonly ChildSpan[]> {
  const traces = new Map<string, ChildSpan[]>();
  for (const span of spans) {
    const ofTrace = traces.get(span.traceId) ?? [];
    traces.set(span.traceId, ofTrace);
    addChildSpan(ofTrace, span);
  }
  return traces;
}

/** Those of the traces of some samples, by trace and length. */
export function spansOfSamples(
  spans: readonly ChildSpan[],
  samples: readonly LabelledSample[],
): readonly ChildSpan[] {
  const traces = new Set(samples.map(traceOf));
  const wanted = spans.filter(({ traceId }) => traces.has(traceId));
  return [...longestSpans(wanted)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, ofTrace]) => ofTrace);
}

/** Trace of a sample as spans have it; empty if none is known. */
export function traceOf({ traceId = "" }: Pick<LabelledSample, "traceId">): string {
  return traceId.toLowerCase();
}

/**
 * Those that are part of a request, longest first. A trace may have several requests: if the span of this one is known, only
 * spans below it are its own, and, if it `isOnly` one that is kept of the trace, those below a span that nobody sent, as of a
 * proxy, which take no longer than it.
 */
export function childrenOf(
  sample: LabelledSample,
  traces: ReadonlyMap<string, readonly ChildSpan[]>,
  isOnly: boolean,
): readonly ChildSpan[] {
  const spans = traces.get(traceOf(sample)) ?? [];
  const own = sample.spanId?.toLowerCase();
  if (own === undefined) return spans;
  const parents = new Map(spans.map(({ spanId, parentId }) => [spanId, parentId]));
  return spans.filter(({ parentId, elapsedMicros }) => {
    let above = parentId;
    // No chain is longer than there are spans, except in a circle.
    for (let step = 0; step < spans.length && above !== own && parents.has(above); step++) {
      above = parents.get(above) as string;
    }
    const isAbsent = above !== "" && !parents.has(above);
    return above === own || (isOnly && isAbsent && elapsedMicros <= sample.elapsedMicros);
  });
}

/** A span with its texts cut, and `redact` applied to its names before. */
export function cutSpan(
  span: ChildSpan,
  redact: (text: string) => string = (text) => text,
): ChildSpan {
  return {
    ...span,
    service: cutText(redact(span.service), CHILD_SPAN_TEXTS.service),
    operation: cutText(redact(span.operation), CHILD_SPAN_TEXTS.operation),
  };
}

function compareSpans(one: ChildSpan, other: ChildSpan): number {
  if (one.elapsedMicros !== other.elapsedMicros) return other.elapsedMicros - one.elapsedMicros;
  const [first, second] = [one, other].map(({ spanId, parentId, service, operation }) =>
    JSON.stringify([spanId, parentId, service, operation]),
  ) as [string, string];
  return first < second ? -1 : Number(first > second);
}
