import { paced } from "../concurrency/yielder.ts";
import type { DistributionColumns, SeriesColumns, SumColumns } from "../model/data-points.ts";
import type { TagMatch } from "../model/measures/measure-selector.ts";
import { mergeSeries, mergeSums } from "../model/merge-points.ts";

/** Minimum number of series per merge: fewer would be sorted too often. */
const PARTS_MIN = 16;
/** Minimum size relative to what is already merged, all of which each merge reads: the time per endpoint stays nearly constant. */
const WAITING_SHARE_MIN = 0.25;
/** Overhead of a series, in rows: columns of three points consist mostly of it. */
const ROWS_OF_A_PART = 100;

/** Merges all series into one, yielding to other work. Throws `sum-too-large`. */
export function mergeAllSeries(
  series: AsyncIterable<{ readonly columns: SeriesColumns }>,
): Promise<SeriesColumns> {
  return mergeAll(series, new Merger(mergeSeries));
}

/** The same for sums only. */
export function mergeAllSums(
  series: AsyncIterable<{ readonly columns: SumColumns }>,
): Promise<SumColumns> {
  return mergeAll(series, new Merger(mergeSums));
}

async function mergeAll<Columns extends MergedColumns>(
  series: AsyncIterable<{ readonly columns: Columns }>,
  merger: Merger<Columns>,
): Promise<Columns> {
  for await (const { columns } of paced(series)) merger.add(columns);
  return merger.compact();
}

type MergedColumns = SumColumns & Partial<DistributionColumns>;

export class Merger<Columns extends MergedColumns> {
  /** Points and histogram entries of what is merged so far. */
  mergedRows = 0;
  readonly #merge: (parts: readonly Columns[]) => Columns;
  #parts: Columns[] = [];
  /** What is merged so far, then what waits: each merged from some parts, which often share most seconds. */
  #merged: Columns[] = [];
  #waitingRows = 0;

  constructor(merge: (parts: readonly Columns[]) => Columns) {
    this.#merge = merge;
  }

  /** Throws `sum-too-large`. */
  add(columns: Columns): void {
    this.#parts.push(columns);
    if (this.#parts.length < PARTS_MIN) return;
    const together = this.#merge(this.#parts);
    this.#parts = [];
    this.#merged.push(together);
    this.#waitingRows += rowsOf(together);
    if (this.#waitingRows < this.mergedRows * WAITING_SHARE_MIN) return;
    const merged = this.#merge(this.#merged);
    [this.#merged, this.mergedRows, this.#waitingRows] = [[merged], rowsOf(merged), 0];
  }

  /** Returns everything that was added. Throws `sum-too-large`. */
  compact(): Columns {
    return this.#merge([...this.#merged, ...this.#parts]);
  }
}

function rowsOf({ second, bucket }: MergedColumns): number {
  return ROWS_OF_A_PART + second.length + (bucket?.length ?? 0);
}

/** Conditions on facets as one text, as parameters and flags have them: `scenario:browse,region!:eu`. */
/** A backslash before a comma or a backslash takes it as it is; before anything else it stands for itself. */
const CONDITION = String.raw`[^:,!]+!?:(?:\\.|[^,\\])*`;

/** What the text of conditions matches; a comma separates two. */
export const CONDITIONS = `^${CONDITION}(?:,${CONDITION})*$`;

const EACH = /([^:,!]+)(!?):((?:\\.|[^,\\])*)(?:,|$)/gsu;

/** Parses a text that `CONDITIONS` matches. */
export function parseConditions(text: string): readonly TagMatch[] {
  return Array.from(text.matchAll(EACH), ([, tag = "", not, value = ""]) => {
    return { tag, value: value.replaceAll(/\\([,\\])/g, "$1"), isNot: not === "!" };
  });
}

/** The text of one condition whose value is written as it is; `undefined` if it is none. */
export function conditionOf(text: string): TagMatch | undefined {
  const [, tag, not, value = ""] = /^([^:,!]+)(!?):(.*)$/s.exec(text) ?? [];
  return tag === undefined ? undefined : { tag, value, isNot: not === "!" };
}

/** The text that parses to these; `undefined` for none. */
export function conditionsText(matches: readonly TagMatch[]): string | undefined {
  if (matches.length === 0) return undefined;
  return matches
    .map(({ tag, value, isNot }) => {
      return `${tag}${isNot ? "!" : ""}:${value.replaceAll(/[,\\]/g, String.raw`\$&`)}`;
    })
    .join(",");
}
