/** What is selected of very many endpoints: numbers, never a list of labels. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { DerivedRole } from "../model/role.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { SecondRange } from "../model/second-range.ts";
import { NumberSet, numbersWhere } from "../model/number-set.ts";
import { type EndpointSelection, selectEndpoints } from "./endpoint-selection.ts";
import type { TimeSlice } from "./time-slice.ts";
import { selectWhole } from "./whole.ts";
import type { EndpointSeries, ManyEndpoints, Snapshot } from "../store/snapshot.ts";

/** Numbers of the endpoints that are wanted, ascending. */
export function selectNumbers(
  many: ManyEndpoints,
  selection: EndpointSelection,
): Promise<Uint32Array> {
  if (selection.by === "hash") return many.hashed([selection.hash]);
  if (selection.by === "hashes") return many.hashed(selection.hashes);
  return selection.filter === ""
    ? Promise.resolve(many.numbers)
    : many.containing(selection.filter);
}

/** Those of the selected numbers that a whole is made of; see `wholeOf`. */
export function wholeNumbers(
  { roles }: { readonly roles: ReadonlyMap<number, DerivedRole> },
  numbers: Uint32Array,
  selection: EndpointSelection,
): Uint32Array {
  if (selection.by !== "filter" || roles.size === 0) return numbers;
  const requests = numbersWhere(numbers, (number) => !roles.has(number));
  return requests.length === 0 ? numbers : requests;
}

/** So many endpoints are named at once: some tens of milliseconds, and little memory. */
const NAMED_AT_ONCE = 1024;
/** Up to so many are named before they are sorted; more are taken in the order of all labels. */
const SORTED_MAX = 16_384;

/** What is read of a load test, endpoint by endpoint. */
interface WantedSeries {
  readonly selection: EndpointSelection;
  readonly range: SecondRange;
  /** All that are selected, or a whole of them (`whole.ts`). @default all */
  readonly which?: "all" | "whole";
}

/** The series that are wanted, by label, one for each endpoint. */
export async function* selectedSums(
  snapshot: Snapshot,
  { selection, range, which }: WantedSeries,
  slice: TimeSlice,
): AsyncGenerator<EndpointSeries<SumColumns>, void, undefined> {
  for await (const endpoints of selectedParts(snapshot, selection, slice, which)) {
    yield* snapshot.read(endpoints, range, "sums");
  }
}

/** The same with their distributions. */
export async function* selectedDistributions(
  snapshot: Snapshot,
  { selection, range, which }: WantedSeries,
  slice: TimeSlice,
): AsyncGenerator<EndpointSeries<SumColumns & DistributionColumns>, void, undefined> {
  for await (const endpoints of selectedParts(snapshot, selection, slice, which)) {
    yield* snapshot.read(endpoints, range, "distribution");
  }
}

/** Those that are wanted, or a whole of them (`whole.ts`), by label, in parts; of very many, no more than a part is held. */
async function* selectedParts(
  snapshot: Snapshot,
  selection: EndpointSelection,
  slice: TimeSlice,
  which: "all" | "whole" = "all",
): AsyncGenerator<readonly Endpoint[], void, undefined> {
  const many = await snapshot.many?.();
  if (many === undefined) {
    const select = which === "all" ? selectEndpoints : selectWhole;
    yield await select(await snapshot.endpoints(), selection, slice);
    return;
  }
  const numbers = await selectNumbers(many, selection);
  yield* labelledParts(many, which === "all" ? numbers : wholeNumbers(many, numbers, selection));
}

/** The endpoints with these numbers (ascending), by label, in parts. */
export async function* labelledParts(
  many: ManyEndpoints,
  numbers: Uint32Array,
): AsyncGenerator<readonly Endpoint[], void, undefined> {
  if (numbers.length <= SORTED_MAX) {
    const endpoints = await many.named([...numbers]);
    yield endpoints.toSorted((one, other) => compareLabels(one.label, other.label));
    return;
  }
  const wanted = new NumberSet(numbers);
  const ordered = numbersWhere(await many.byLabel(), (number) => wanted.has(number));
  for (let at = 0; at < ordered.length; at += NAMED_AT_ONCE) {
    yield await many.named([...ordered.subarray(at, at + NAMED_AT_ONCE)]);
  }
}
