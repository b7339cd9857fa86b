import type { SeriesColumns, SumColumns } from "../model/data-points.ts";
import { type SecondRange, SumRoom } from "../model/columns.ts";
import type { DerivedRole } from "../model/role.ts";
import { UserError } from "../model/errors.ts";
import type { Endpoint } from "../model/load-test.ts";
import { numbersWhere } from "../model/row-groups.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";
import type { EndpointIndex, EndpointSeries, Snapshot } from "../store/snapshot.ts";

/** Maximum number of endpoints for responses that have data of each in memory: some hundred megabytes. */
const HELD_ENDPOINTS_MAX = 100_000;

/** Numbers of the selected endpoints, ascending. */
export async function selectNumbers(
  index: EndpointIndex,
  selection: EndpointSelection,
): Promise<Uint32Array> {
  const numbers = await named(index, selection);
  if (selection.count === undefined) return numbers;
  return numbersWhere(numbers, (number) => index.roles.get(number) === "transaction");
}

async function named(index: EndpointIndex, selection: EndpointSelection): Promise<Uint32Array> {
  if (selection.by === "hash") return index.hashed([selection.hash]);
  if (selection.by === "hashes") return index.hashed(selection.hashes);
  return selection.filter === "" ? index.numbers : index.containing(selection.filter);
}

/** Those that are merged into an overall result; see `overallEndpoints`. */
export function overallNumbers(
  { roles }: { readonly roles: ReadonlyMap<number, DerivedRole> },
  numbers: Uint32Array,
  selection: EndpointSelection,
): Uint32Array {
  if (selection.by !== "filter" || roles.size === 0) return numbers;
  const requests = numbersWhere(numbers, (number) => !roles.has(number));
  return requests.length === 0 ? numbers : requests;
}

/** Returns the endpoints with these numbers (ascending), by label. */
export async function listByLabel(
  index: EndpointIndex,
  numbers: Uint32Array,
): Promise<readonly Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for await (const chunk of index.byLabel(numbers)) {
    for (const endpoint of chunk) endpoints.push(endpoint);
  }
  return endpoints;
}

interface ListRequest {
  readonly selection: EndpointSelection;
  /** The action, for the error: `compare`. */
  readonly doing: string;
  /** @default HELD_ENDPOINTS_MAX */
  readonly most?: number | undefined;
}

/** Returns the selected endpoints by label. Throws `too-many-endpoints` if there are more than `most`. */
export async function listSelected(
  snapshot: Snapshot,
  { selection, doing, most = HELD_ENDPOINTS_MAX }: ListRequest,
): Promise<readonly Endpoint[]> {
  const index = await snapshot.index();
  const numbers = await selectNumbers(index, selection);
  if (numbers.length <= most) return listByLabel(index, numbers);
  throw new UserError(
    "too-many-endpoints",
    `cannot ${doing} ${numbers.length} endpoints of load test "${snapshot.loadTest.id}": expected at most ${most}; ` +
      "choose some of them by a filter",
  );
}

interface SeriesRequest {
  readonly selection: EndpointSelection;
  readonly range: SecondRange;
  /** All selected endpoints, or those of an overall result (`overall.ts`). @default all */
  readonly which?: "all" | "overall";
}

/** Yields one series per endpoint, by label. Each may overwrite the one before. */
export async function* selectedSums(
  snapshot: Snapshot,
  request: SeriesRequest,
): AsyncGenerator<EndpointSeries<SumColumns>, void, undefined> {
  const room = new SumRoom();
  for await (const endpoints of selectedChunks(snapshot, request)) {
    yield* snapshot.read(endpoints, request.range, "sums", room);
  }
}

/** The same with distributions. */
export async function* selectedDistributions(
  snapshot: Snapshot,
  request: SeriesRequest,
): AsyncGenerator<EndpointSeries<SeriesColumns>, void, undefined> {
  for await (const endpoints of selectedChunks(snapshot, request)) {
    yield* snapshot.read(endpoints, request.range, "distribution");
  }
}

async function* selectedChunks(
  snapshot: Snapshot,
  { selection, which = "all" }: SeriesRequest,
): AsyncGenerator<readonly Endpoint[], void, undefined> {
  const index = await snapshot.index();
  const numbers = await selectNumbers(index, selection);
  yield* index.byLabel(which === "all" ? numbers : overallNumbers(index, numbers, selection));
}
