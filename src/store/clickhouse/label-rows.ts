/** The labels of a load test, as its rows tell them. */

import { integerLiteral } from "./literals.ts";
import type { Place } from "./facts.ts";
import type { NativeBlock } from "./native-block.ts";
import type { Node } from "./node.ts";
import type { Replicas } from "./replicas.ts";
import type { ToldLabel } from "./contents.ts";
import { inBatches, inPlace, type SourceRows } from "./visible.ts";

/** Which endpoints a load test has, and in which of its sources. */
export interface LabelSets {
  /** Hashes of those that readers see. */
  readonly visible: ReadonlySet<string>;
  /** Of all sources, those that were never shown among them. */
  readonly all: ReadonlySet<string>;
  /** By number of the source. */
  readonly bySource: ReadonlyMap<bigint, ReadonlySet<string>>;
}

/** Which labels the sources of a load test have on a server; `visible` are the rows that readers see. */
export async function readLabelSets(
  replicas: Replicas,
  {
    node,
    database,
    place,
  }: { readonly node: Node; readonly database: string; readonly place: Place },
  visible: readonly SourceRows[],
): Promise<LabelSets> {
  return labelSetsIn(await replicas.readOn(node, labelSetsQuery(database, place, visible)));
}

/** Asks which endpoints are told by which source, and whether readers see that. */
function labelSetsQuery(database: string, place: Place, visible: readonly SourceRows[]): string {
  const shown = visible.length === 0 ? "0" : inBatches(visible);
  return `
SELECT endpoint_hash, source, max(${shown}) AS a_shown
FROM ${database}.measurements
WHERE ${inPlace(place)} AND kind = 'label'
GROUP BY endpoint_hash, source`;
}

function labelSetsIn(blocks: readonly NativeBlock[]): LabelSets {
  const [visible, all] = [new Set<string>(), new Set<string>()];
  const bySource = new Map<bigint, Set<string>>();
  for (const block of blocks) {
    const hashes = block.fixedStrings("endpoint_hash");
    const [sources, shown] = [block.bigints("source"), block.numbers("a_shown")];
    for (const [row, hash] of hashes.entries()) {
      const source = sources[row] as bigint;
      all.add(hash);
      if (shown[row] === 1) visible.add(hash);
      const own = bySource.get(source) ?? new Set();
      bySource.set(source, own.add(hash));
    }
  }
  return { visible, all, bySource };
}

/** How many endpoints of a load test readers see. */
export function labelCountQuery(
  database: string,
  place: Place,
  visible: readonly SourceRows[],
): string {
  return `
SELECT uniqExact(endpoint_hash) AS a_endpoints
FROM ${database}.measurements
WHERE ${inPlace(place)} AND kind = 'label' AND ${inBatches(visible)}`;
}

/** The labels that readers see, with the strongest role that any row tells. */
export function labelsQuery(
  database: string,
  place: Place,
  visible: readonly SourceRows[],
): string {
  return `
SELECT endpoint_hash, any(text) AS a_label, max(role) AS a_role
FROM ${database}.measurements
WHERE ${inPlace(place)} AND kind = 'label' AND ${inBatches(visible)}
GROUP BY endpoint_hash`;
}

export function labelsIn(blocks: readonly NativeBlock[]): ToldLabel[] {
  return blocks.flatMap((block) => {
    const [hashes, labels] = [block.fixedStrings("endpoint_hash"), block.strings("a_label")];
    const roles = block.numbers("a_role");
    return hashes.map((hash, row) => ({
      hash,
      label: labels[row] as string,
      role: roles[row] as number,
    }));
  });
}

const TOLD_MAX = 500_000;

/**
 * Which labels this process has told already, so that they are not told with each batch. To forget
 * is harmless.
 */
export class ToldLabels {
  readonly #bySource = new Map<string, Map<string, number>>();
  #count = 0;

  /** Those that have to be told (again). */
  untold(key: string, labels: readonly ToldLabel[]): readonly ToldLabel[] {
    const told = this.#bySource.get(key);
    if (told === undefined) return labels;
    return labels.filter(({ hash, role }) => (told.get(hash) ?? -1) < role);
  }

  learn(key: string, labels: readonly ToldLabel[]): void {
    if (labels.length === 0) return;
    if (this.#count > TOLD_MAX) {
      this.#bySource.clear();
      this.#count = 0;
    }
    const told = this.#bySource.get(key) ?? new Map<string, number>();
    for (const { hash, role } of labels) told.set(hash, role);
    this.#bySource.set(key, told);
    this.#count += labels.length;
  }
}

/** What the labels of a source are remembered by. */
export function toldKey({ loadTestId, incarnation }: Place, source: bigint): string {
  return `${loadTestId} ${integerLiteral(incarnation)} ${source}`;
}
