import {
  COMBINATIONS_MAX,
  FACETS_MAX,
  FACET_VALUE_CHARACTERS_MAX,
  type Facets,
  FURTHER_SERIES_MAX,
  OTHER_VALUE,
  seriesName,
} from "../../model/series/facets.ts";
import type { FacetOptions } from "../decoder.ts";
import type { LabelTable } from "./label-table.ts";

/** Distinct values of a facet that nobody named: more look like ids. */
const VALUES_MAX = 256;
const SETS_MAX = 16_384;

/** Without facets. */
export const NO_FACETS = 0;

/**
 * Series of the labels of a source by their facets, in the same table. Measures stay with the label; points and failures go to the series.
 * Values and series beyond the limits count as other ones.
 */
export class FacetedLabels {
  /** Those that the options name: they come before all others. */
  readonly named: readonly string[];
  readonly #labels: LabelTable;
  readonly #areOff: boolean;
  /** Distinct values by name. */
  readonly #values = new Map<string, Set<string>>();
  readonly #sets = new Map<string, number>();
  readonly #facets: Facets[] = [[]];
  /** By label and set. */
  readonly #series = new Map<number, number>();
  readonly #labelOf = new Map<number, number>();
  /** Sets of labels that have several. */
  readonly #count = new Map<number, number>();
  #further = 0;
  /** What was beyond the limits. */
  readonly #crowded = new Set<string>();
  readonly #dropped = new Set<string>();
  #others = 0;

  constructor(labels: LabelTable, { names = [], areOff = false }: FacetOptions = {}) {
    this.#labels = labels;
    this.named = names;
    this.#areOff = areOff;
    for (const name of names) this.#values.set(name, new Set());
  }

  /** Names to read, given those that the source has by itself. */
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
    const key = JSON.stringify(given);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const facets = given.flatMap(([name, text]) => {
      const value = this.#valueOf(name, text);
      return value === "" ? [] : [[name, value] as const];
    });
    if (facets.length === 0) return NO_FACETS;
    if (this.#facets.length >= SETS_MAX) return this.#otherOf(facets);
    return this.#numberOf(key, facets);
  }

  /** The index of a label with a set of facets; labels over the limit have none. */
  series(label: number, set: number): number {
    if (set === NO_FACETS) return label;
    const key = label * SETS_MAX * 2 + set;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const facets = this.#facets[set] as Facets;
    const count = this.#count.get(label) ?? 0;
    const isOther = facets.every(([, value]) => value === OTHER_VALUE);
    const isFull = count >= COMBINATIONS_MAX || (count > 0 && this.#further >= FURTHER_SERIES_MAX);
    let series: number;
    if (isFull && !isOther) {
      this.#others += 1;
      series = this.series(label, this.#otherOf(facets));
    } else {
      series = this.#labels.addSeries(label, (text) => seriesName(text, facets));
      if (series !== label) this.#labelOf.set(series, label);
      this.#count.set(label, count + 1);
      if (count > 0) this.#further += 1;
    }
    this.#series.set(key, series);
    return series;
  }

  /** Index of the label of a series. */
  labelOf(series: number): number {
    return this.#labelOf.get(series) ?? series;
  }

  notes(): readonly string[] {
    const crowded = Array.from(
      this.#crowded,
      (name) =>
        `facet ${name} has more than ${VALUES_MAX} values, further ones count as ${OTHER_VALUE}: name it (--facet) to keep them`,
    );
    const others = `combinations of facets beyond ${COMBINATIONS_MAX} of a label or ${FURTHER_SERIES_MAX} of the run, counted as ${OTHER_VALUE}: ${this.#others}`;
    const dropped = Array.from(
      this.#dropped,
      (name) => `facet ${name} is left out: a run has at most ${FACETS_MAX}`,
    );
    return [...crowded, ...dropped, ...(this.#others === 0 ? [] : [others])];
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
    if (values.size >= VALUES_MAX && !this.named.includes(name)) {
      this.#crowded.add(name);
      return OTHER_VALUE;
    }
    if (values.size < SETS_MAX) values.add(value);
    return value;
  }

  #otherOf(facets: Facets): number {
    const others = facets.map(([name]) => [name, OTHER_VALUE] as const);
    const key = `other ${JSON.stringify(others)}`;
    return this.#sets.get(key) ?? this.#numberOf(key, others);
  }

  #numberOf(key: string, facets: Facets): number {
    const number = this.#facets.push(facets) - 1;
    this.#sets.set(key, number);
    return number;
  }
}

/** Names to read, given those that the source has by itself. */
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
