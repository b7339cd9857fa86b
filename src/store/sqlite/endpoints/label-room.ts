import { NumberSet } from "../../../model/row-groups.ts";
import { countedLabels, mayBeNoted, noteLabels, requireRoom } from "../../label-limit.ts";
import { labelOfSeries } from "../../../model/series/facets.ts";
import { boundsOf, numbersIn, setHas, uniteSets } from "../../block/endpoint-set.ts";
import type { WriteTarget } from "../write-target.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";

interface Addition {
  /** Upper bound for the endpoints after adding. */
  readonly atMost: number;
  readonly before: () => readonly Uint8Array[];
  /** Endpoint set, or labels that may have no number yet; some may exist already. */
  readonly added: Uint8Array | readonly string[];
  /** Labels in the order of arrival. @default sorted */
  readonly order?: readonly string[] | undefined;
}

/** Throws `too-many-labels`, naming the added labels over the limit. */
export function requireLabelRoom(
  { reading, labelLimit }: Pick<WriteTarget, "reading" | "labelLimit">,
  { number: loadTest, id }: LoadTestRow,
  { atMost, before, added, order }: Addition,
): void {
  if (atMost <= labelLimit.max) return;
  const known = reading.endpoints.known(loadTest);
  // Another process may have numbered some of them.
  known.catchUp();
  const labels =
    added instanceof Uint8Array
      ? Array.from(numbersIn(added), (number) => known.labels[number] as string)
      : added;
  const there = uniteSets(before());
  const shown = new NumberSet(numbersIn(there));
  const isThere = (label: string) => known.seriesOf(label).some((number) => shown.has(number));
  requireRoom(labelLimit, id, {
    present: countedIn({ reading }, loadTest, there),
    added: labels.filter((series) => !isThere(labelOfSeries(series))),
    order,
  });
}

/** Checks what readers will see. Returns the number of endpoints afterwards. Throws `too-many-labels`. */
export function showLabels(
  file: WriteTarget,
  row: LoadTestRow,
  { after, ...addition }: Omit<Addition, "atMost"> & { readonly after: Uint8Array },
): number {
  const size = labelsIn(file, row.number, after);
  requireLabelRoom(file, row, { atMost: size, ...addition });
  if (mayBeNoted(file.labelLimit, { before: row.endpoints, after: size })) {
    noteLabels(file.labelLimit, row, {
      before: countedIn(file, row.number, uniteSets(addition.before())),
      after: countedIn(file, row.number, after),
    });
  }
  return size;
}

/** Returns how many labels the endpoints of a set have. */
export function labelsIn(
  { reading }: Pick<WriteTarget, "reading">,
  loadTest: number,
  set: Uint8Array,
): number {
  const known = reading.endpoints.known(loadTest);
  if ((boundsOf(set).at(-1) ?? 0) > known.labels.length) known.catchUp();
  return known.labelsIn(set);
}

/** Returns how many of them count against the limit. */
function countedIn({ reading }: Pick<WriteTarget, "reading">, loadTest: number, set: Uint8Array) {
  const known = reading.endpoints.known(loadTest);
  return countedLabels(labelsIn({ reading }, loadTest, set), (label) =>
    known.seriesOf(label).some((number) => setHas(set, number)),
  );
}
