import type { JsonSchema } from "../api/schema.ts";
import { Yielder } from "../concurrency/yielder.ts";
import { csvCell } from "./table-cell.ts";

/** How the list of a response is written as CSV. */
export interface CsvTable {
  /** Of an item of the list: its members are the columns, those of objects within as `outer.inner`. */
  readonly item: JsonSchema;
  /**
   * The member of an item that lists its points, such as seconds. An item is a row for each point, and its lists have a value
   * for each; those of an object with such a list of its own, for the points in that. @default an item is one row
   */
  readonly points?: string;
}

/** Values of `CsvTable.item`, in order. */
export type CsvItems = AsyncIterable<object> | Iterable<object>;

const CHUNK_LENGTH_MIN = 16 * 1024;

/**
 * A header and its rows, in chunks. Unknown and absent values are empty cells; lists and maps of texts are JSON; a map of
 * figures has a column for each of its names in the first item. Yields to the event loop in between.
 */
export async function* csvTable(
  { item: schema, points }: CsvTable,
  items: CsvItems,
): AsyncGenerator<string> {
  const yielder = new Yielder();
  let columns: readonly Column[] | undefined;
  let text = "";
  for await (const item of items) {
    if (columns === undefined) text = headOf((columns = columnsOf(schema, item)));
    text += rowsOf(item, columns, points);
    await yielder.pass();
    if (text.length < CHUNK_LENGTH_MIN) continue;
    yield text;
    text = "";
  }
  yield columns === undefined ? headOf(columnsOf(schema, {})) : text;
}

/** All endpoints together, then each. */
export async function* withOverall(overall: object, endpoints: CsvItems): AsyncGenerator<object> {
  yield { label: "(all)", ...overall };
  yield* endpoints;
}

interface Column {
  /** The names that lead to its value. */
  readonly path: readonly string[];
  /** Whether its value is a list of cells where items have points. */
  readonly isListed: boolean;
}

function columnsOf(schema: JsonSchema, value: unknown): readonly Column[] {
  const { type, items, properties, additionalProperties: each } = schema;
  if (properties === undefined && !isObject(each)) {
    const isListed = type === "array" && (items as JsonSchema)["type"] !== "object";
    return [{ path: [], isListed }];
  }
  if (isObject(each) && each["type"] === "string") return [{ path: [], isListed: false }];
  const members = isObject(value) ? value : {};
  const schemas =
    properties ?? Object.fromEntries(Object.keys(members).map((name) => [name, each]));
  return Object.entries(schemas as Record<string, JsonSchema>).flatMap(([name, member]) =>
    columnsOf(member, members[name]).map(({ path, isListed }) => ({
      path: [name, ...path],
      isListed,
    })),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function headOf(columns: readonly Column[]): string {
  return `${columns.map(({ path }) => csvCell(path.join("."))).join(",")}\r\n`;
}

function rowsOf(item: object, columns: readonly Column[], points: string | undefined): string {
  const listed = points === undefined ? [undefined] : listIn(item, points);
  const cells = columns.map(({ path, isListed }) => {
    const outer = path.slice(0, -1).reduce<unknown>(memberOf, item);
    const value = memberOf(outer, path.at(-1) ?? "");
    if (points === undefined || !isListed) return listed.map(() => value);
    const own = listIn(outer, points);
    const values = listIn(outer, path.at(-1) ?? "");
    if (own === listed || own.length === 0) return values;
    const placeOf = new Map(own.map((point, place) => [point, place]));
    return listed.map((point) => values[placeOf.get(point) ?? -1]);
  });
  return listed.map((_, at) => `${cells.map((each) => cellOf(each[at])).join(",")}\r\n`).join("");
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return csvCell(value);
  const text = JSON.stringify(value);
  return typeof value === "object" ? csvCell(text) : text;
}
