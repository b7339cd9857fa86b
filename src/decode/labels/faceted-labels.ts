import { grown } from "../../model/columns.ts";
import {
  FACET_LIMITS,
  type FacetLimits,
  FACETS_MAX,
  FACET_VALUE_CHARACTERS_MAX,
  FACET_VALUES_MAX,
  type Facets,
  IDS_VALUE,
  isShared,
  OTHER_VALUE,
  seriesName,
  withoutWidest,
} from "../../model/series/facets.ts";
import type { FacetOptions, FacetValues } from "../decoder.ts";
import type { LabelTable } from "./label-table.ts";

const SETS_MAX = 16_384;
/** Steps kept of what was given. */
const STEPS_MAX = 64 * 1024;
const FIRST_LABELS = 1024;

const OF_SOURCE = `${SETS_MAX / 2 - 1} combinations a source`;

/** Without facets. */
export const NO_FACETS = 0;

/** Leads from name to value, to the next name, to the number of the set. */
interface Step {
  set: number | undefined;
  readonly next: Map<string, Step>;
}

/**
 * Series of the labels of a source by their facets, in the same table. Measures stay with the label; points and failures go to the series.
 * Values and series beyond the limits count as other ones.
 */
export class FacetedLabels {
  /** Those that the options name: they come before all others. */
  readonly named: readonly string[];
  readonly #labels: LabelTable;
  readonly #areOff: boolean;
  readonly #limits: FacetLimits;
  readonly #values: FacetValues;
  readonly #given: Step = { set: undefined, next: new Map() };
  #steps = 0;
  readonly #sets = new Map<string, number>();
  readonly #facets: Facets[] = [[]];
  /** What follows labels in the names of their series, by set. */
  readonly #suffixes: string[] = [];
  /** By label: its first set, and the series of that plus 1. */
  #firstSet = new Uint16Array(FIRST_LABELS);
  #first = new Uint32Array(FIRST_LABELS);
  /** By label and set: at most two more than the limit of a label. */
  readonly #series = new Map<number, number>();
  /** By series the label plus 1. */
  #labelOf = new Uint32Array(FIRST_LABELS);
  /** Further sets of labels. */
  readonly #count = new Map<number, number>();
  #further = 0;
  /** By label the set that others beyond the limits join. */
  readonly #others = new Map<number, number>();
  /** What was beyond the limits. */
  readonly #crowded = new Set<string>();
  readonly #dropped = new Set<string>();
  readonly #full = new Set<string>();

  constructor(
    labels: LabelTable,
    { names = [], areOff = false, limits, values = new Map() }: FacetOptions = {},
  ) {
    this.#labels = labels;
    this.#limits = limits ?? FACET_LIMITS;
    this.named = names;
    this.#areOff = areOff;
    this.#values = values;
    for (const name of names) if (!values.has(name)) values.set(name, new Set());
  }

  namesOf(usual: readonly string[]): readonly string[] {
    return facetNames(usual, { names: this.named, areOff: this.#areOff });
  }

  /** The index of a label with the facets that `valueOf` knows; none is empty. `usual`: those that the source has by itself. */
  seriesBy(label: number, usual: readonly string[], valueOf: (name: string) => string): number {
    return this.series(label, this.setBy(usual, valueOf));
  }

  /** Number of the set of facets that `valueOf` knows. */
  setBy(usual: readonly string[], valueOf: (name: string) => string): number {
    const names = this.namesOf(usual);
    return names.length === 0 ? NO_FACETS : this.setOf(names.map((name) => [name, valueOf(name)]));
  }

  /** Number of a set of facets; those with an empty value are none. */
  setOf(given: Facets): number {
    let step: Step | undefined = this.#given;
    for (const [name, value] of given) step = step?.next.get(name)?.next.get(value);
    if (step?.set !== undefined) return step.set;
    const facets = given.flatMap(([name, text]) => {
      const value = this.#valueOf(name, text);
      return value === "" ? [] : [[name, value] as const];
    });
    const set = facets.length === 0 ? NO_FACETS : this.#numberOf(facets);
    this.#keep(given, set);
    return set;
  }

  /** The index of a label with a set of facets; labels over the limit have none. */
  series(label: number, set: number): number {
    if (set === NO_FACETS) return label;
    const first = this.#first[label] ?? 0;
    if (first > 0 && this.#firstSet[label] === set) return first - 1;
    const key = label * SETS_MAX + set;
    return (first > 0 ? this.#series.get(key) : undefined) ?? this.#newSeries(label, set, key);
  }

  /** Replaces the labels of rows `[from, to)` by their series. */
  place(labels: Int32Array, sets: Uint32Array, from: number, to: number): void {
    const [first, firstSet] = [this.#first, this.#firstSet];
    for (let row = from; row < to; row++) {
      const [label, set] = [labels[row] as number, sets[row] as number];
      const known = firstSet[label] === set ? (first[label] as number) : 0;
      labels[row] = known > 0 ? known - 1 : this.series(label, set);
    }
  }

  /** Index of the label of a series. */
  labelOf(series: number): number {
    const label = this.#labelOf[series] ?? 0;
    return label > 0 ? label - 1 : series;
  }

  notes(): readonly string[] {
    const crowded = Array.from(
      this.#crowded,
      (name) =>
        `facet ${name} has more than ${FACET_VALUES_MAX} values, which look like ids, and is left out: --facet ${name} keeps it`,
    );
    const full = Array.from(
      this.#full,
      (limit) => `facets have more than ${limit}: further ones count as ${OTHER_VALUE}`,
    );
    const dropped = Array.from(
      this.#dropped,
      (name) => `facet ${name} is left out: a run has at most ${FACETS_MAX}`,
    );
    return [...crowded, ...dropped, ...full];
  }

  #newSeries(label: number, set: number, key: number): number {
    const facets = this.#facets[set] as Facets;
    const isFirst = (this.#first[label] ?? 0) === 0;
    const count = this.#count.get(label) ?? 0;
    const { facetCombinationsMax: ofLabel, facetSeriesMax: ofRun } = this.#limits;
    // Those that are beyond by their widest facet alone are as many again at most.
    const times = isShared(facets) ? 2 : 1;
    const isFull = count >= times * ofLabel - 1;
    const isBeyond = !isFirst && (isFull || this.#further >= times * ofRun);
    if (isBeyond && facets.some(([, value]) => value !== OTHER_VALUE)) {
      this.#full.add(
        isFull
          ? `${ofLabel} combinations a label (--facet-combinations-max)`
          : `${ofRun} series beyond one a label (--facet-series-max)`,
      );
      return this.series(label, this.#sharedSet(label, facets));
    }
    const series = this.#labels.addSeries(label, this.#suffixOf(set));
    if (isFirst) this.#keepFirst(label, set, series);
    else {
      this.#series.set(key, series);
      this.#count.set(label, count + 1);
      this.#further += 1;
    }
    if (series >= this.#labelOf.length) this.#labelOf = grown(this.#labelOf, series + 1);
    this.#labelOf[series] = label + 1;
    return series;
  }

  /** The set that facets beyond the limits join: at first all but the widest keep their values, then none does. */
  #sharedSet(label: number, facets: Facets): number {
    if (!isShared(facets) && facets.length > 1) {
      const valuesOf = (name: string): number => this.#values.get(name)?.size ?? 0;
      return this.#numberOf(withoutWidest(facets, valuesOf));
    }
    // One of a label, whatever its facets are called.
    const other = this.#others.get(label) ?? this.#otherOf(facets);
    this.#others.set(label, other);
    return other;
  }

  #suffixOf(set: number): string {
    return (this.#suffixes[set] ??= seriesName("", this.#facets[set] as Facets));
  }

  #keepFirst(label: number, set: number, series: number): void {
    if (label >= this.#first.length) {
      this.#first = grown(this.#first, label + 1);
      this.#firstSet = grown(this.#firstSet, label + 1);
    }
    this.#first[label] = series + 1;
    this.#firstSet[label] = set;
  }

  #keep(given: Facets, set: number): void {
    if (this.#steps > STEPS_MAX) return;
    let step = this.#given;
    for (const text of given.flat()) {
      const next = step.next.get(text) ?? { set: undefined, next: new Map() };
      if (!step.next.has(text)) this.#steps += 1;
      step.next.set(text, next);
      step = next;
    }
    step.set = set;
  }

  #valueOf(name: string, given: string): string {
    const value = shortened(given.toWellFormed());
    const values = this.#values.get(name) ?? new Set();
    if (value === "" || values.has(value)) return value;
    if (this.#values.size >= FACETS_MAX && !this.#values.has(name)) {
      this.#dropped.add(name);
      return "";
    }
    this.#values.set(name, values);
    if (values.size >= FACET_VALUES_MAX && !this.named.includes(name)) {
      this.#crowded.add(name);
      return IDS_VALUE;
    }
    if (values.size <= FACET_VALUES_MAX) values.add(value);
    return value === IDS_VALUE ? OTHER_VALUE : value;
  }

  #numberOf(facets: Facets): number {
    const known = this.#sets.get(JSON.stringify(facets));
    if (known !== undefined) return known;
    if (this.#facets.length < SETS_MAX / 2) return this.#add(facets);
    this.#full.add(OF_SOURCE);
    return this.#otherOf(facets);
  }

  #otherOf(facets: Facets): number {
    const others = facets.map(([name]) => [name, OTHER_VALUE] as const);
    return this.#sets.get(JSON.stringify(others)) ?? this.#add(others);
  }

  #add(facets: Facets): number {
    // Names that a source has in ever new combinations are no facets.
    if (this.#facets.length >= SETS_MAX) return NO_FACETS;
    const number = this.#facets.push(facets) - 1;
    this.#sets.set(JSON.stringify(facets), number);
    return number;
  }
}

export function facetNames(
  usual: readonly string[],
  { names = [], areOff = false }: FacetOptions = {},
): readonly string[] {
  return [...new Set([...(areOff ? [] : usual), ...names])];
}

function shortened(value: string): string {
  if (value.length <= FACET_VALUE_CHARACTERS_MAX) return value;
  return `${value.slice(0, FACET_VALUE_CHARACTERS_MAX - 1).toWellFormed()}…`;
}
