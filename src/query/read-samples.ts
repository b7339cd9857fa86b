import type { SampleItem, SamplesAnswer } from "../api/samples.ts";
import type { FailureKind } from "../model/failures.ts";
import type { Outcome } from "../model/outcomes.ts";
import {
  type ChildSpan,
  childrenOf,
  dividedEntries,
  longestSpans,
  traceOf,
} from "../model/samples/child-spans.ts";
import {
  kindOfSample,
  type LabelledSample,
  SAMPLE_NUMBERS,
  SAMPLE_TEXTS,
  type SampleText,
} from "../model/samples/request-sample.ts";
import { chooseSamples } from "../model/samples/sample-choice.ts";
import { traceUrlOf } from "../model/samples/trace-url.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/columns.ts";
import {
  type EndpointSelection,
  hashOfLabel,
  type SelectedPart,
} from "../series/endpoint-selection.ts";
import { type Snapshots, withSnapshot } from "../series/open-snapshot.ts";

export interface SampleReading {
  /** Of the texts of all that are kept, before any is selected. */
  readonly bytesMax: number;
  /** Of the address of a trace, see `isTraceUrl`. @default none */
  readonly traceUrl?: string | undefined;
}

export interface SamplesQuery extends SelectedPart, SampleReading {
  /** @default all requests */
  readonly outcome?: Outcome | undefined;
  /** Code and message of failures; absent members: any. */
  readonly kind?: { readonly [Member in keyof FailureKind]?: string | undefined };
  /** Those within come first, the slowest before others, then the nearest. @default by label, then time */
  readonly near?: SecondRange | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}

const MILLIS_PER_SECOND = 1000;
const TEXT_NAMES = Object.keys(SAMPLE_TEXTS) as readonly SampleText[];

/** Reads requests that were kept whole. Throws `unknown-load-test`, `damaged-store`. */
export async function readSamples(points: Snapshots, query: SamplesQuery): Promise<SamplesAnswer> {
  const { selection, range, outcome, kind = {}, near, limit, bytesMax, traceUrl } = query;
  const { from, until } = range === undefined ? ALL_SECONDS : withoutSecondZero(range);
  // The slowest are those of all outcomes.
  return withSnapshot(points, { ...query, outcome: undefined }, async (snapshot) => {
    const { samples, spans } = dividedEntries(await snapshot.samples());
    const chosen = chooseSamples(samples, bytesMax);
    const asked = chosen
      .filter(({ label }) => isSelected(label, selection))
      .filter((sample) => {
        const own = kindOfSample(sample);
        const { code, message } = own ?? {};
        const isOutcome = outcome === undefined || outcome === (own ? "failed" : "passed");
        const isKind = (kind.code ?? code) === code && (kind.message ?? message) === message;
        const second = secondOf(sample);
        return isOutcome && isKind && second >= from && second < until;
      });
    if (near !== undefined) asked.sort(byDistance(near));
    const shown = asked.slice(0, limit);
    const traces = longestSpans(spans);
    const requests = Map.groupBy(samples, traceOf);
    const isOnly = (sample: LabelledSample): boolean => {
      const ids = requests.get(traceOf(sample))?.map(({ spanId }) => spanId);
      return new Set(ids).size === 1;
    };
    return {
      samples: shown.map((sample) => ({
        ...itemOf(sample, traceUrl),
        ...spansOf(sample, childrenOf(sample, traces, isOnly(sample))),
      })),
      sampleCount: asked.length,
    };
  });
}

function spansOf(
  { elapsedMicros: whole }: LabelledSample,
  spans: readonly ChildSpan[],
): Pick<SampleItem, "spans"> {
  if (spans.length === 0) return {};
  return {
    spans: spans.map(({ service, operation, elapsedMicros }) => ({
      service,
      operation,
      elapsedMs: elapsedMicros / 1000,
      ...(whole > 0 && { share: elapsedMicros / whole }),
    })),
  };
}

function secondOf({ timeMs }: LabelledSample): number {
  return Math.floor(timeMs / MILLIS_PER_SECOND);
}

function byDistance({ from, until }: SecondRange) {
  const distance = (sample: LabelledSample): number =>
    Math.max(0, from - secondOf(sample), secondOf(sample) + 1 - until);
  return (one: LabelledSample, other: LabelledSample): number =>
    distance(one) - distance(other) || other.elapsedMicros - one.elapsedMicros;
}

function isSelected(label: string, selection: EndpointSelection): boolean {
  if (selection.by === "filter") return label.includes(selection.filter);
  const hash = hashOfLabel(label);
  return selection.by === "hash" ? selection.hash === hash : selection.hashes.includes(hash);
}

function itemOf(sample: LabelledSample, traceUrl: string | undefined): SampleItem {
  const { label, hash, timeMs, elapsedMicros, isCut, code, message } = sample;
  return {
    hash: hashOfLabel(label),
    label,
    id: hash.toString(36),
    ...(timeMs > 0 && { time: new Date(timeMs).toISOString() }),
    elapsedMs: elapsedMicros / 1000,
    failed: kindOfSample(sample) !== undefined,
    code,
    message,
    ...Object.fromEntries(
      SAMPLE_NUMBERS.map((name) => {
        const value = sample[name];
        return name.endsWith("Micros")
          ? [name.replace(/Micros$/, "Ms"), value === undefined ? value : value / 1000]
          : [name, value];
      }),
    ),
    ...Object.fromEntries(TEXT_NAMES.map((name) => [name, sample[name]])),
    ...(traceUrl !== undefined &&
      sample.traceId !== undefined && { traceUrl: traceUrlOf(traceUrl, sample.traceId) }),
    ...(isCut && { cut: true }),
  };
}
