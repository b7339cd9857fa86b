import { compareLabels } from "../label.ts";

/** Where the requests of a label came from, such as their scenario or host: by name, names unique. */
export type Facets = readonly (readonly [name: string, value: string])[];

/** Facets of a series. */
export const FACETS_MAX = 8;

export const FACET_NAME = /^[\p{L}\p{N}_.-]{1,64}$/u;

/** Longer values are shortened. */
export const FACET_VALUE_CHARACTERS_MAX = 200;

/** Of what follows the label in the name of a series; JSON takes at most six bytes a character. */
export const FACETS_BYTES_MAX = 16 * 1024;

/** Values of a facet, or series of a label, beyond the limits. */
export const OTHER_VALUE = "(other)";

/** Further values of a facet that look like ids: whoever reads series leaves out a facet of which one has it. */
export const IDS_VALUE = "(ids)";

/** Distinct values of a facet that nobody named: more look like ids. */
export const FACET_VALUES_MAX = 256;

/** What is beyond counts as `OTHER_VALUE`. Members are named as the settings of a server. */
export interface FacetLimits {
  /** Series of a label. */
  readonly facetCombinationsMax: number;
  /** Series of a load test beyond one a label. */
  readonly facetSeriesMax: number;
}

export const FACET_LIMITS: FacetLimits = { facetCombinationsMax: 64, facetSeriesMax: 16_384 };

/**
 * Begins the facets in the name of a series. Labels with it are nearly unheard of, and hardly any text sorts between a label and its series:
 * those of a label are neighbours.
 */
export const FACETS_BEGIN = "\u0001";

/**
 * The name of a series, which is what batches, blocks and stores call a label: the label, then its facets as JSON. A label without facets is
 * its own name.
 */
export function seriesName(label: string, facets: Facets): string {
  if (facets.length === 0) return label;
  const sorted = facets.toSorted(([left], [right]) => compareLabels(left, right));
  return `${label}${FACETS_BEGIN}${JSON.stringify(sorted.flat())}`;
}

const NONE: Facets = [];
/** Of all texts remembered, which take about as much again in parsed form. */
const CACHED_CHARACTERS_MAX = 2 * 1024 * 1024;
const parsed = new Map<string, Facets | undefined>();
let cachedCharacters = 0;

interface SeriesParts {
  readonly label: string;
  readonly facets: Facets;
}

/** Whatever is no name with facets is a label without. */
export function partsOfSeries(name: string): SeriesParts {
  const at = name.lastIndexOf(FACETS_BEGIN);
  if (at < 0) return { label: name, facets: NONE };
  const text = name.slice(at + 1);
  const known = parsed.get(text);
  const facets = known ?? (parsed.has(text) ? undefined : remember(text));
  return facets === undefined
    ? { label: name, facets: NONE }
    : { label: name.slice(0, at), facets };
}

export function labelOfSeries(name: string): string {
  return name.includes(FACETS_BEGIN) ? partsOfSeries(name).label : name;
}

/** Whether a label looks as if facets began in it: decoders escape such ones, so that other names are forged. */
export function isForged(label: string): boolean {
  return label.includes(`${FACETS_BEGIN}["`);
}

/** Whether a series is one that others beyond the limits join. */
export function isOtherSeries(name: string): boolean {
  const { facets } = partsOfSeries(name);
  return facets.length > 0 && facets.every(([, value]) => value === OTHER_VALUE);
}

/** Whether values of one of the facets are counted together. */
export function isShared(facets: Facets): boolean {
  return facets.some(([, value]) => value === OTHER_VALUE || value === IDS_VALUE);
}

/** Facets beyond the limits, of which only the one with the most values counts as other. */
export function withoutWidest(facets: Facets, valuesOf: (name: string) => number): Facets {
  const widest = facets.toSorted(([one], [other]) => valuesOf(other) - valuesOf(one))[0]?.[0];
  return facets.map(([name, value]) => [name, name === widest ? OTHER_VALUE : value]);
}

/** Names of facets of a series whose values look like ids. */
export function idFacetsOf(name: string): readonly string[] {
  return partsOfSeries(name).facets.flatMap(([facet, value]) =>
    value === IDS_VALUE ? [facet] : [],
  );
}

/** The series without some facets. */
export function withoutFacets(name: string, without: ReadonlySet<string>): string {
  const { label, facets } = partsOfSeries(name);
  return seriesName(
    label,
    facets.filter(([facet]) => !without.has(facet)),
  );
}

/** Whether a facet of a series counts as `(other)`. */
export function hasOtherValue(name: string): boolean {
  return (
    name.includes(FACETS_BEGIN) &&
    partsOfSeries(name).facets.some(([, value]) => value === OTHER_VALUE)
  );
}

/** The series that those beyond the limits join. */
export function otherSeries(name: string): string {
  const { label, facets } = partsOfSeries(name);
  return seriesName(
    label,
    facets.map(([facet]) => [facet, OTHER_VALUE]),
  );
}

function remember(text: string): Facets | undefined {
  cachedCharacters += text.length;
  if (cachedCharacters > CACHED_CHARACTERS_MAX) {
    parsed.clear();
    cachedCharacters = text.length;
  }
  const facets = parse(text);
  parsed.set(text, facets);
  return facets;
}

/** `undefined` unless `seriesName` could have written it: each set of facets has one text. */
function parse(text: string): Facets | undefined {
  let list: unknown;
  try {
    list = text.length > FACETS_BYTES_MAX ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
  const texts: readonly unknown[] = Array.isArray(list) ? list : [];
  const isOfPairs = texts.length > 0 && texts.length % 2 === 0 && texts.length <= 2 * FACETS_MAX;
  if (!isOfPairs || !texts.every((each) => typeof each === "string")) return undefined;
  const facets = Array.from({ length: texts.length / 2 }, (_, at) => {
    return [texts[2 * at] as string, texts[2 * at + 1] as string] as const;
  });
  const areRight = facets.every(
    ([name, value], at) =>
      FACET_NAME.test(name) &&
      value !== "" &&
      value.length <= FACET_VALUE_CHARACTERS_MAX &&
      (at === 0 || compareLabels(facets[at - 1]?.[0] ?? "", name) < 0),
  );
  return areRight && JSON.stringify(texts) === text ? facets : undefined;
}

/** Tags that are facets by themselves. */
export const K6_FACETS: readonly string[] = ["group", "scenario"];

/** The value of a tag as a facet: k6 calls the scenario of a script without one "default". */
export function k6FacetOf(name: string, value: string): string {
  return name === "scenario" && value === "default" ? "" : value;
}
