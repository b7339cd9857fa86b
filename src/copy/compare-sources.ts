import { isDeepStrictEqual } from "node:util";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { QualityCounter, SourceQuality } from "../model/source-quality.ts";
import { formatQuality } from "../decode/format-quality.ts";
import { sourceBatches } from "../series/source-batches.ts";
import type {
  PublishedSource,
  SourceReading,
  SourcesSnapshot,
  VisibleSource,
} from "../store/snapshot.ts";

const UNKNOWN_FORMAT = "unknown";
/** Characters of a value that a difference shows. */
const SHOWN_MAX = 100;

interface Comparison {
  readonly seconds: Pick<LoadTestSummary, "from" | "until">;
  readonly batchRows: number;
  /** Gets the number of points compared since the last call. */
  readonly compared: (points: number) => void;
}

export interface Compared {
  /** Sentences: the first difference of the load test, and of each source. */
  readonly differences: readonly string[];
  /** Live sources that have changed since they were copied. */
  readonly stale: readonly SourceReading[];
}

/** Compares load test, sources and contents. */
export async function compareSources(
  original: SourcesSnapshot,
  copy: SourcesSnapshot,
  comparison: Comparison,
): Promise<Compared> {
  const stale: SourceReading[] = [];
  const differences = [differenceOf("the load test: ", original.loadTest, copy.loadTest)];
  const copies = new Map(copy.sources.map((source) => [source.sourceId, source]));
  for (const source of original.sources) {
    const other = copies.get(source.sourceId);
    copies.delete(source.sourceId);
    const name = `source "${source.sourceId}"`;
    if (other?.published === undefined) {
      differences.push(`${name} is missing in the copy`);
      continue;
    }
    // The quality of a live source follows from its contents, which are compared.
    const expected = copiedSource(source, original.loadTest.id, other.published.quality);
    const otherSource = differenceOf(`${name}: `, expected, other.published);
    const otherContents = await differenceOfContents(source, other, comparison);
    if (otherContents !== undefined && otherSource === undefined && source.published === undefined)
      stale.push(source);
    differences.push(otherSource ?? otherContents);
  }
  for (const sourceId of copies.keys()) {
    differences.push(`source "${sourceId}" is in the copy alone`);
  }
  return { differences: differences.filter((each) => each !== undefined), stale };
}

async function differenceOfContents(
  original: SourceReading,
  copy: SourceReading,
  { seconds, batchRows, compared }: Comparison,
): Promise<string | undefined> {
  const copied = sourceBatches(copy, seconds, batchRows);
  try {
    for await (const batch of sourceBatches(original, seconds, batchRows)) {
      const { done, value } = await copied.next();
      const [first, last] = [batch.labels[0], batch.labels.at(-1)].map((each) => textOf(each));
      const labels = batch.labels.length === 0 ? "" : `, endpoints ${first} to ${last}`;
      const name = `source "${original.sourceId}"${labels}:`;
      const difference =
        done === true ? `${name} missing in the copy` : differenceOf(`${name} `, batch, value);
      if (difference !== undefined) return difference;
      compared(batch.points.second.length);
    }
    if ((await copied.next()).done === true) return undefined;
    return `source "${original.sourceId}": the copy has more`;
  } finally {
    await copied.return(undefined);
  }
}

/** Says where two values first differ; `undefined` if they are the same. */
function differenceOf(name: string, original: unknown, copy: unknown): string | undefined {
  if (isDeepStrictEqual(original, copy)) return undefined;
  if (!isObject(original) || !isObject(copy)) {
    return `${name} is ${textOf(original)}, in the copy ${textOf(copy)}`;
  }
  const members = new Set([...Object.keys(original), ...Object.keys(copy)]);
  for (const member of members) {
    const inList = ArrayBuffer.isView(original) || Array.isArray(original);
    const step = inList ? `[${member}]` : name.endsWith(" ") ? member : `.${member}`;
    const found = differenceOf(`${name}${step}`, original[member], copy[member]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/**
 * Returns how a source is published in the target. Published sources stay as they are, so that the same file is
 * recognised. A live source is closed: its id becomes its name, its digest matches no file.
 */
export function copiedSource(
  { sourceId, published, format }: Pick<SourceReading, "sourceId" | "published" | "format">,
  loadTestId: string,
  liveQuality: SourceQuality,
): PublishedSource {
  if (published !== undefined) return published;
  return {
    loadTestId,
    sourceId,
    name: sourceId,
    format: format ?? UNKNOWN_FORMAT,
    sizeBytes: 0,
    digest: `live:${sourceId}`,
    quality: liveQuality,
  };
}

/** Returns the quality of a live source from its batches and points. */
export function liveQualityOf(
  { format, unrecorded = formatQuality(format).unrecorded, quality }: VisibleSource,
  { counted }: Pick<QualityCounter, "counted">,
): SourceQuality {
  return { ...counted, unrecorded, ...(quality ?? { rejectedRows: 0 }) };
}
