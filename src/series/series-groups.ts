import { UserError } from "../model/errors.ts";
import { type Facets, FACETS_BEGIN, partsOfSeries } from "../model/series/facets.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import { type DerivedRole, strongerDerivedRole } from "../model/role.ts";
import type { EndpointIndex } from "../store/snapshot.ts";

/** Which series are read, and how they are shown. */
export interface FacetSelection {
  /** Pairs of name and value; those of one name are alternatives. */
  readonly where: Facets;
  /** Names of facets by whose values the series of a label are kept apart. */
  readonly by: readonly string[];
}

export const ALL_SERIES: FacetSelection = { where: [], by: [] };

/** Of series without the facet. */
export const NO_VALUE = "(none)";

const HIDDEN = 0xff_ff_ff_ff;

/** Series shown as one endpoint each: those of a label, and of a value with `by`. Its number is the largest of theirs. */
export interface SeriesGroups {
  /** Numbers of what is shown, ascending. */
  readonly numbers: Uint32Array;
  readonly roles: ReadonlyMap<number, DerivedRole>;
  /** By label; `undefined` if there are too many. */
  readonly listed: readonly Endpoint[] | undefined;
  /** Names with facets, ascending. */
  readonly marked: Uint32Array;
  /** Number of what shows a series; `undefined`: it is left out. */
  readonly groupOf: (series: number) => number | undefined;
  /** Numbers of its series, ascending. */
  readonly seriesIn: (group: number) => readonly number[];
}

/** An index is one object for as long as nothing changes, or of one reader. */
const known = new WeakMap<EndpointIndex, Map<string, Promise<SeriesGroups | undefined>>>();

/** Groups the series of an index; `undefined`: each is shown as it is. Throws `damaged-store`, `too-many-endpoints`. */
export function groupSeries(
  index: EndpointIndex,
  selection: FacetSelection,
): Promise<SeriesGroups | undefined> {
  const key = JSON.stringify([selection.where, selection.by]);
  const ofIndex = known.get(index) ?? new Map<string, Promise<SeriesGroups | undefined>>();
  known.set(index, ofIndex);
  const groups = ofIndex.get(key) ?? buildGroups(index, selection);
  ofIndex.set(key, groups);
  return groups;
}

async function buildGroups(
  index: EndpointIndex,
  selection: FacetSelection,
): Promise<SeriesGroups | undefined> {
  const marked = await index.containing(FACETS_BEGIN);
  const isAll = selection.where.length + selection.by.length === 0;
  return marked.length === 0 && isAll ? undefined : groupsOf(index, selection, marked);
}

async function groupsOf(
  index: EndpointIndex,
  { where, by }: FacetSelection,
  marked: Uint32Array,
): Promise<SeriesGroups> {
  if (index.isLarge && by.length > 0) {
    throw new UserError(
      "too-many-endpoints",
      `cannot split ${index.numbers.length} endpoints by facets: choose some of them by a filter, or a value of the facet`,
    );
  }
  const groupOf = new Uint32Array((index.numbers.at(-1) ?? -1) + 1).fill(HIDDEN);
  const several = new Map<number, readonly number[]>();
  const roles = new Map<number, DerivedRole>();
  const listed: Endpoint[] = [];
  const shown: number[] = [];
  const isShown = (facets: Facets) => matches(facets, where);

  function add(label: string, series: readonly Endpoint[]): void {
    const numbers = series.map(({ number }) => number).toSorted((one, other) => one - other);
    const number = numbers.at(-1) as number;
    for (const each of numbers) groupOf[each] = number;
    if (numbers.length > 1) several.set(number, numbers);
    const role = series.map((each) => each.role).reduce(strongerDerivedRole);
    if (role !== undefined) roles.set(number, role);
    shown.push(number);
    if (!index.isLarge) listed.push({ number, label, ...(role && { role }) });
  }

  /** Takes all series of a label. */
  function close(series: readonly SplitSeries[]): SplitSeries[] {
    const kept = series.filter(({ facets }) => isShown(facets));
    const apart = Map.groupBy(kept, ({ label, facets }) =>
      [...by.map((name) => valueOf(facets, name)), label].join(" › "),
    );
    for (const [text, own] of apart) {
      add(
        text,
        own.map(({ endpoint }) => endpoint),
      );
    }
    return [];
  }

  let open: SplitSeries[] = [];
  for await (const chunk of index.byLabel(index.numbers)) {
    const split = chunk.map((endpoint) => ({ endpoint, ...partsOfSeries(endpoint.label) }));
    // Of a small index all come at once.
    if (!index.isLarge) split.sort((one, other) => compareLabels(one.label, other.label));
    for (const series of split) {
      if (open[0] !== undefined && open[0].label !== series.label) open = close(open);
      open.push(series);
    }
  }
  close(open);
  return {
    numbers: Uint32Array.from(shown).toSorted(),
    roles,
    listed: index.isLarge
      ? undefined
      : listed.toSorted((one, other) => compareLabels(one.label, other.label)),
    marked,
    groupOf: (series) => (groupOf[series] === HIDDEN ? undefined : groupOf[series]),
    seriesIn: (group) => several.get(group) ?? [group],
  };
}

interface SplitSeries {
  readonly endpoint: Endpoint;
  readonly label: string;
  readonly facets: Facets;
}

function valueOf(facets: Facets, name: string): string {
  return facets.find(([facet]) => facet === name)?.[1] ?? NO_VALUE;
}

function matches(facets: Facets, where: Facets): boolean {
  return where.every(([name]) =>
    where.some(([wanted, value]) => wanted === name && valueOf(facets, name) === value),
  );
}
