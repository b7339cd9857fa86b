import type { LoadTestQuery } from "../model/load-test.ts";
import { termsOf } from "../model/load-test.ts";
import {
  COMPUTED_FIGURES,
  type CountedFigure,
  folded,
  isComputed,
  type SearchTerm,
} from "../model/load-test/search.ts";
import { OVERALL_FIGURES } from "./store.ts";

/** How a database says what a search needs. */
export interface SearchDialect {
  /** Notes a value, and returns what stands for it in the statement. */
  readonly parameter: (value: string | number) => string;
  /** Whether a column, without the case of ASCII letters, contains a text in small letters. */
  readonly contains: (column: "id" | "name" | "environment" | "attributes", part: string) => string;
  /** A number of the JSON array `text` of `figures`; NULL if it is not known. */
  readonly figure: (index: number) => string;
  /** Formats of the store's sources. */
  readonly formats: readonly string[];
}

/** Load tests that a limit of a figure alone finds are listed by their numbers if they are at most this many. */
const LISTED_MAX = 4096;

/** Statements that list the numbers of load tests within one limit of a computed figure each, at most one more than are of use. */
export function figureStatements(
  query: LoadTestQuery,
  figure: SearchDialect["figure"],
): readonly string[] {
  return termsOf(query).flatMap((term) => {
    if (term.kind !== "figure" || !isComputed(term.figure)) return [];
    const value = figure(COMPUTED_FIGURES.indexOf(term.figure));
    // Sorted, so that PostgreSQL reads the index, not the table.
    return `SELECT load_test FROM figures WHERE part = '${OVERALL_FIGURES}'
      AND ${value} ${term.operator} ${term.bound} ORDER BY ${value} LIMIT ${LISTED_MAX + 1}`;
  });
}

/** Of the lists that the statements return, the shortest; `undefined`: it is more than a search of all rows would read. */
export function shortestList(
  lists: readonly (readonly Readonly<Record<string, unknown>>[])[],
): readonly number[] | undefined {
  const [shortest] = lists.toSorted((one, other) => one.length - other.length);
  if (shortest === undefined || shortest.length > LISTED_MAX) return undefined;
  return shortest.map((row) => Number(row["load_test"]));
}

/**
 * A condition on rows of `load_tests` that holds for all that a query wants, positions and hours apart. Of texts it holds for some
 * more: whoever reads the rows checks them by `isWanted`.
 */
export function searchCondition(query: LoadTestQuery, dialect: SearchDialect): string {
  const { tag, lacks } = query;
  const conditions = [
    ...termsOf(query).map((term) => conditionOf(term, dialect)),
    ...(tag === undefined ? [] : [containing("attributes", tag, dialect)]),
    ...(lacks === undefined ? [] : [`requests > 0 AND NOT ${stored(lacks, "", dialect)}`]),
  ];
  return conditions.map((condition) => `(${condition})`).join(" AND ") || "1 = 1";
}

/** Of visible data, without rows that are no requests. */
const REQUESTS = "(requests - uncounted_requests)";
const COUNTED: Readonly<Record<CountedFigure, string>> = {
  requests: REQUESTS,
  errors: `1.0 * (failed_requests - uncounted_failed_requests) / nullif(${REQUESTS}, 0)`,
  duration: "last_second - first_second + 1",
};

function conditionOf(term: SearchTerm, dialect: SearchDialect): string {
  switch (term.kind) {
    case "text": {
      const anywhere = ofField(term, dialect);
      if (term.field !== "any" || !term.text.includes(":")) return anywhere;
      // A property counts as key:value, which its JSON has in two texts.
      return `${anywhere} OR ${containing("attributes", term.text.replaceAll(":", "\0"), dialect)}`;
    }
    case "property": {
      const { key, text } = term;
      const anywhere = ofField({ field: "any", text: `${key}:${text}` }, dialect);
      return `${containing("attributes", text, dialect)} OR ${anywhere}`;
    }
    case "flag":
      if (!term.is) return "1 = 1";
      return dialect.contains(
        "attributes",
        term.flag === "pinned" ? "pinned" : "thresholds-failed",
      );
    case "figure": {
      const { figure, operator, bound } = term;
      const limit = `${operator} ${dialect.parameter(bound)}`;
      if (!isComputed(figure)) return `${COUNTED[figure]} ${limit}`;
      const value = dialect.figure(COMPUTED_FIGURES.indexOf(figure));
      return stored(OVERALL_FIGURES, `AND ${value} ${limit}`, dialect);
    }
    default:
      throw new Error(`BUG: no condition of ${JSON.stringify(term satisfies never)}`);
  }
}

function stored(part: string, condition: string, { parameter }: SearchDialect): string {
  return `EXISTS (SELECT 1 FROM figures WHERE figures.load_test = load_tests.number
    AND figures.part = ${parameter(part)} AND figures.revision = load_tests.revision ${condition})`;
}

function ofField(
  { field, text }: Pick<Extract<SearchTerm, { kind: "text" }>, "field" | "text">,
  dialect: SearchDialect,
): string {
  const columns = {
    id: ["id"],
    name: ["name"],
    tag: ["attributes"],
    env: ["environment"],
    tool: [],
    any: ["id", "name", "environment", "attributes"],
  } as const;
  const conditions = columns[field].map((column) => containing(column, text, dialect));
  if (field === "tool" || field === "any") conditions.push(ofFormat(text, dialect));
  return conditions.join(" OR ");
}

/** Sources that are not visible count here. */
function ofFormat(text: string, { parameter, formats }: SearchDialect): string {
  const found = formats.filter((format) => folded(format).includes(folded(text)));
  if (found.length === 0) return "1 = 0";
  return `EXISTS (SELECT 1 FROM sources WHERE load_test = load_tests.number
    AND format IN (${found.map((format) => parameter(format)).join()}))`;
}

/** A longer one would not find less, but take longer. */
const PART_MAX = 64;

/** Of the text, its longest part without wildcards of LIKE that is written alike in JSON and in a database that knows the case of ASCII only. */
function containing(
  column: Parameters<SearchDialect["contains"]>[0],
  text: string,
  { contains }: SearchDialect,
): string {
  const alike = folded(text).replaceAll(/./gsu, (each) => (isAlike(each) ? each : "\0"));
  const [part = ""] = alike.split("\0").toSorted((one, other) => other.length - one.length);
  return part === "" ? "1 = 1" : contains(column, part.slice(0, PART_MAX));
}

function isAlike(character: string): boolean {
  if (/["\\%_\u{fffd}\p{Cc}\p{Cs}]/u.test(character)) return false;
  return character < "\u{80}" || character.toUpperCase() === character.toLowerCase();
}
