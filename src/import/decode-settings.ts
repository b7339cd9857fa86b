import {
  type FacetOptions,
  type LabelChoice,
  type UrlGrouping,
  VALUE_UNITS,
  type ValueUnit,
} from "../decode/decoder.ts";
import { TimestampFormat } from "../decode/bytes/timestamp.ts";
import { GroupRules } from "../decode/labels/group-rules.ts";
import { badParameter, UserError } from "../model/errors.ts";
import type { SampleOptions } from "../model/samples/sample-choice.ts";
import { FACET_LIMITS, FACET_NAME, type FacetLimits, FACETS_MAX } from "../model/series/facets.ts";

/** Returns the zone under its canonical name. Throws `bad-parameter`. */
export function checkTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch (cause) {
    const message = `unknown time zone "${timeZone}": expected a name such as Europe/Berlin or UTC`;
    throw new UserError("bad-parameter", message, { cause });
  }
}

/** What is kept of requests; `undefined`: nothing. Throws `bad-parameter` for a pattern that is no regular expression. */
export function samplesOf(
  bytesMax: number,
  redact: readonly string[] | undefined,
): SampleOptions | undefined {
  for (const pattern of redact ?? []) {
    try {
      void new RegExp(pattern, "u");
    } catch (cause) {
      const message = `cannot read the pattern "${pattern}": expected a regular expression of JavaScript`;
      throw new UserError("bad-parameter", message, { cause });
    }
  }
  return bytesMax === 0 ? undefined : { bytesMax, redact };
}

/** With more, comparing each label of a run with each of them would take long. */
const PATTERNS_MAX = 100;

/** The labels that are no requests; `undefined` if all are. Throws `bad-parameter` for too many patterns. */
export function choiceOf(
  measured: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
): LabelChoice | undefined {
  for (const [name, labels] of Object.entries({ measure: measured, ignore: ignored })) {
    const patterns = labels?.filter((label) => label.includes("*")).length ?? 0;
    if (patterns <= PATTERNS_MAX) continue;
    throw badParameter(`${name}: got ${patterns} labels with *, expected at most ${PATTERNS_MAX}`);
  }
  return measured === undefined && ignored === undefined ? undefined : { measured, ignored };
}

/** What is a facet: those that the format has by itself, unless `areOff`, and those of these names. Throws `bad-parameter`. */
export function facetOptionsOf(
  names: readonly string[] | undefined,
  areOff: boolean,
  limits: Partial<FacetLimits>,
): FacetOptions {
  const wrong = names?.find((name) => !FACET_NAME.test(name));
  if (wrong !== undefined) {
    throw badParameter(
      `cannot use "${wrong}" as a facet: expected the name of a tag or column, 1 to 64 letters, digits, _, . and -`,
    );
  }
  const distinct = [...new Set(names)];
  if (distinct.length > FACETS_MAX) {
    throw badParameter(`got ${distinct.length} facets, expected at most ${FACETS_MAX}`);
  }
  const {
    facetCombinationsMax = FACET_LIMITS.facetCombinationsMax,
    facetSeriesMax = FACET_LIMITS.facetSeriesMax,
  } = limits;
  return { names: distinct, areOff, limits: { facetCombinationsMax, facetSeriesMax } };
}

/** Returns the encoding under its canonical name. Throws `bad-parameter`. */
export function checkEncoding(encoding: string | undefined): string | undefined {
  if (encoding === undefined) return undefined;
  try {
    return new TextDecoder(encoding).encoding;
  } catch (cause) {
    const message = `unknown encoding "${encoding}": expected a name such as windows-1251 or gbk`;
    throw new UserError("bad-parameter", message, { cause });
  }
}

/** Throws `bad-parameter`. */
export function checkValueUnit(text: string | undefined): ValueUnit | undefined {
  const unit = VALUE_UNITS.find((each) => each === text);
  if (unit !== undefined || text === undefined) return unit;
  throw new UserError(
    "bad-parameter",
    `unknown unit "${text}": expected one of ${VALUE_UNITS.join(", ")}`,
  );
}

/** Returns the pattern. Throws `bad-parameter`. */
export function checkTimestampFormat(pattern: string | undefined): string | undefined {
  if (pattern !== undefined) void new TimestampFormat(pattern);
  return pattern;
}

/** Returns the requested grouping of labels. Throws `bad-parameter`. */
export function groupingOf(
  ids: boolean,
  rules: readonly string[] | undefined,
): UrlGrouping | undefined {
  if (!ids && rules === undefined) return undefined;
  const grouping = { ids, rules: rules ?? [] };
  // Validated here, so that an invalid rule is refused before anything is read.
  void new GroupRules(grouping.rules);
  return grouping;
}

/** Rules in one text, separated by commas. */
export function splitRules(text: string): readonly string[] {
  return text.split(",").map((rule) => rule.trim());
}

/** Seconds must be below this. */
const INSTANT_MS_LIMIT = 2 ** 32 * 1000;
/** UNIX seconds have nine or ten digits since 1973, milliseconds twelve or thirteen. */
const UNIX_SECONDS = /^\d{9,10}(?:\.\d+)?$/;
const UNIX_MILLIS = /^\d{12,13}$/;
const ISO_8601 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Parses a time as milliseconds since the epoch. Throws `bad-parameter`. */
export function parseInstant(text: string): number {
  const ms = millisOf(text);
  if (ms !== undefined && ms > 0 && ms < INSTANT_MS_LIMIT) return ms;
  throw new UserError(
    "bad-parameter",
    `cannot read the time "${text}": expected ISO 8601 with its zone, such as 2026-11-21T03:43:30Z, or UNIX seconds or milliseconds`,
  );
}

function millisOf(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return Math.floor(Number(text) * 1000);
  if (UNIX_MILLIS.test(text)) return Number(text);
  if (!ISO_8601.test(text)) return undefined;
  const ms = Date.parse(
    text
      .replace(" ", "T")
      .replace(/([+-]\d\d)(\d\d)$/, "$1:$2")
      .toUpperCase(),
  );
  return Number.isNaN(ms) ? undefined : ms;
}
