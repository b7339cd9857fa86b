import { UserError } from "../model/errors.ts";
import {
  type Facets,
  FACET_VALUES_MAX,
  FACETS_BEGIN,
  idFacetsOf,
  IDS_VALUE,
  labelOfSeries,
  partsOfSeries,
  seriesName,
  withoutFacets,
} from "../model/series/facets.ts";
import { compareLabels } from "../model/label.ts";
import type { Endpoint } from "../model/load-test.ts";
import type { TagMatch } from "../model/measures/measure-selector.ts";
import { type DerivedRole, strongerDerivedRole } from "../model/role.ts";
import type { EndpointIndex } from "../store/snapshot.ts";

export interface FacetSelection {
  /** Values of one name are alternatives, unless they are excluded; an empty one stands for series without the facet. */
  readonly where: readonly TagMatch[];
  /** Names of facets by whose values the series of a label are kept apart. */
  readonly by: readonly string[];
  /** Whether every series is shown as it is, under its own name; without `by`. @default false */
  readonly areApart?: true;
  /** Whether what no series has is no mistake. @default false */
  readonly mayBeMissing?: true;
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
  /** Label of what shows a series of this name, without `by`. */
  readonly labelOf: (name: string) => string;
  /** Name of a series without facets that look like ids. */
  readonly kept: (name: string) => string;
  /** Number of what shows a series; `undefined`: it is left out. */
  readonly groupOf: (series: number) => number | undefined;
  /** Numbers of its series, ascending. */
  readonly seriesIn: (group: number) => readonly number[];
}

/** An index is one object for as long as nothing changes, or of one reader. */
const known = new WeakMap<EndpointIndex, Map<string, Promise<SeriesGroups | undefined>>>();

/** Groups the series of an index; `undefined`: each is shown as it is. Throws `unknown-facet`, `damaged-store`, `too-many-endpoints`. */
export function groupSeries(
  index: EndpointIndex,
  selection: FacetSelection,
): Promise<SeriesGroups | undefined> {
  const key = JSON.stringify(selection);
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
  const ids = new Set<string>();
  const ofIds = marked.length === 0 ? marked : await index.containing(JSON.stringify(IDS_VALUE));
  for await (const endpoints of index.byLabel(ofIds)) {
    for (const { label } of endpoints) for (const name of idFacetsOf(label)) ids.add(name);
  }
  const isAll = selection.where.length + selection.by.length === 0;
  const areAsStored = selection.areApart ? ids.size === 0 : marked.length === 0;
  return isAll && areAsStored ? undefined : groupsOf(index, selection, { marked, ids });
}

async function groupsOf(
  index: EndpointIndex,
  selection: FacetSelection,
  { marked, ids }: { readonly marked: Uint32Array; readonly ids: ReadonlySet<string> },
): Promise<SeriesGroups> {
  const kept = keeping(ids);
  const { where, by, mayBeMissing } = selection;
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
  const values = new Map<string, Set<string>>();

  function add(label: string, split: readonly SplitSeries[]): void {
    const series = split.map(({ endpoint }) => endpoint);
    const numbers = series.map(({ number }) => number).toSorted((one, other) => one - other);
    const number = numbers.at(-1) as number;
    for (const each of numbers) groupOf[each] = number;
    if (numbers.length > 1) several.set(number, numbers);
    const role = series.map((each) => each.role).reduce(strongerDerivedRole);
    if (role !== undefined) roles.set(number, role);
    shown.push(number);
    if (index.isLarge) return;
    const { label: own, facets } = split[0] as SplitSeries;
    const chosen = facets.filter(([name]) => by.includes(name));
    const named = by.length > 0 && { splitSeries: seriesName(own, chosen) };
    listed.push({ number, label, ...(role && { role }), ...named });
  }

  function close(series: readonly SplitSeries[]): SplitSeries[] {
    for (const [name, value] of series.flatMap(({ facets }) => facets)) {
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
    const wanted = series.filter(({ facets }) => matchesFacets(facets, where));
    const apart = Map.groupBy(wanted, (each) => nameOf(each, selection));
    for (const [text, own] of apart) add(text, own);
    return [];
  }

  let open: SplitSeries[] = [];
  for await (const chunk of index.byLabel(index.numbers)) {
    const split = chunk.map((endpoint) => ({ endpoint, ...partsOfSeries(kept(endpoint.label)) }));
    // Of a small index all come at once.
    if (!index.isLarge) split.sort((one, other) => compareLabels(one.label, other.label));
    for (const series of split) {
      if (open[0] !== undefined && open[0].label !== series.label) open = close(open);
      open.push(series);
    }
  }
  close(open);
  if (!mayBeMissing) requireKnown({ where, by }, values, ids);
  return {
    numbers: Uint32Array.from(shown).toSorted(),
    roles,
    listed: index.isLarge
      ? undefined
      : listed.toSorted((one, other) => compareLabels(one.label, other.label)),
    marked,
    labelOf: selection.areApart ? kept : labelOfSeries,
    kept,
    groupOf: (series) => (groupOf[series] === HIDDEN ? undefined : groupOf[series]),
    seriesIn: (group) => several.get(group) ?? [group],
  };
}

/** Names of series without some facets. */
function keeping(without: ReadonlySet<string>): (name: string) => string {
  return without.size === 0 ? String : (name) => withoutFacets(name, without);
}

/** The name under which a series is shown; `undefined`: it is left out. */
export function shownName(series: string, selection: FacetSelection): string | undefined {
  const parts = partsOfSeries(series);
  return matchesFacets(parts.facets, selection.where) ? nameOf(parts, selection) : undefined;
}

function nameOf(
  { label, facets }: Pick<SplitSeries, "label" | "facets">,
  { by, areApart }: FacetSelection,
): string {
  if (areApart) return seriesName(label, facets);
  return [...by.map((name) => shownValue(valueOf(facets, name))), label].join(SEPARATOR);
}

interface SplitSeries {
  readonly endpoint: Endpoint;
  readonly label: string;
  readonly facets: Facets;
}

function valueOf(facets: Facets, name: string): string {
  return facets.find(([facet]) => facet === name)?.[1] ?? NO_VALUE;
}

interface Condition {
  readonly values: ReadonlySet<string>;
  /** Whether it must have none of the values. */
  readonly isNot: boolean;
}

/** By name of the facet. */
interface Conditions {
  readonly ofNames: ReadonlyMap<string, readonly Condition[]>;
  /** Names that a series must have. */
  readonly needed: ReadonlySet<string>;
}

/** There may be thousands, for as many series. */
const conditionsOf = new WeakMap<FacetSelection["where"], Conditions>();

/** Whether facets, or tags, meet all conditions; one that is absent has no value. Takes no longer for more conditions. */
export function matchesFacets(facets: Facets, where: FacetSelection["where"]): boolean {
  const { ofNames, needed } = conditionsOf.get(where) ?? readConditions(where);
  let missing = needed.size;
  for (const [name, value] of facets) {
    if (!areMet(ofNames.get(name) ?? [], value)) return false;
    if (needed.has(name)) missing -= 1;
  }
  return missing === 0;
}

function areMet(conditions: readonly Condition[], value: string): boolean {
  return conditions.every(({ values, isNot }) => values.has(value) !== isNot);
}

function readConditions(where: FacetSelection["where"]): Conditions {
  const ofNames = new Map<string, readonly Condition[]>();
  const needed = new Set<string>();
  for (const [name, matches] of Map.groupBy(where, ({ tag }) => tag)) {
    const conditions = [...Map.groupBy(matches, ({ isNot }) => isNot)].map(([isNot, own]) => {
      return { isNot, values: new Set(own.map(({ value }) => value || NO_VALUE)) };
    });
    ofNames.set(name, conditions);
    if (!areMet(conditions, NO_VALUE)) needed.add(name);
  }
  const conditions = { ofNames, needed };
  conditionsOf.set(where, conditions);
  return conditions;
}

const SEPARATOR = " › ";

/** What would be taken for a separator has a backslash before it. */
function shownValue(value: string): string {
  return value.includes("›") ? value.replaceAll(/[\\›]/g, String.raw`\$&`) : value;
}

export interface ShownSeries {
  /** `undefined`: none. */
  readonly value: string | undefined;
  readonly label: string;
}

/** What the label of an endpoint that is split by one facet is made of. */
export function shownSeries(text: string): ShownSeries {
  const at = text.indexOf(SEPARATOR);
  const shown = text.slice(0, at);
  const value = shown.includes("›") ? shown.replaceAll(/\\([\\›])/g, "$1") : shown;
  return {
    value: value === NO_VALUE ? undefined : value,
    label: text.slice(at + SEPARATOR.length),
  };
}

/** Most values that a message lists. */
const LISTED_MAX = 10;

/** Throws `unknown-facet` for a name, or a wanted value, that no series has. */
function requireKnown(
  { where, by }: Pick<FacetSelection, "where" | "by">,
  values: ReadonlyMap<string, ReadonlySet<string>>,
  ids: ReadonlySet<string>,
): void {
  const wanted = where.filter(({ value, isNot }) => isNot || !["", NO_VALUE].includes(value));
  const strange = [...wanted.map(({ tag }) => tag), ...by].find((name) => !values.has(name));
  if (strange !== undefined) {
    const why = ids.has(strange)
      ? `, which was left out, as it has over ${FACET_VALUES_MAX} values (--facet ${strange} keeps it)`
      : "";
    throw unknownFacet(`the facet ${JSON.stringify(strange)}${why}`, values.keys());
  }
  for (const { tag, value, isNot } of wanted) {
    const own = values.get(tag) ?? new Set();
    if (isNot || own.has(value)) continue;
    throw unknownFacet(`${tag} ${JSON.stringify(value)}`, own);
  }
}

function unknownFacet(what: string, others: Iterable<string>): UserError {
  const names = [...others].toSorted(compareLabels);
  const more = names.length > LISTED_MAX ? ` and ${names.length - LISTED_MAX} more` : "";
  const listed = names.length === 0 ? "none" : names.slice(0, LISTED_MAX).join(", ");
  return new UserError("unknown-facet", `no request has ${what}; known: ${listed}${more}`);
}
