import {
  beginLoadTest,
  changeLoadTest as changed,
  isFiltered,
  isInUse,
  isWanted,
  type ListPosition,
  type LoadTestQuery,
  type LoadTestSummary,
  positionOf,
  unknownLoadTest,
} from "../../model/load-test.ts";
import { randomInt } from "node:crypto";
import { figureStatements, searchCondition, shortestList } from "../search-sql.ts";
import { loadTestExists } from "../refusals.ts";
import type { LoadTests, StoreScope } from "../store.ts";
import {
  columnsOf,
  environmentOf,
  loadTestOf,
  type LoadTestRow,
  summaryOf,
} from "../sqlite/catalogue/load-test-rows.ts";
import { NOW_MS, type Row, type Run, type Statement, type Value } from "./database.ts";
import {
  addLoadTest,
  formatsIn,
  IN_SCOPE,
  IS_LOAD_TEST,
  keyOf,
  LOAD_TEST,
  loadTestIn,
  saveLoadTest,
  scopeKey,
  SUMMARIES,
} from "./load-test-table.ts";
import { computedFigure, STARTED_AT_MS } from "./schema.ts";
import { laterRevision } from "./working-set.ts";
import type { PostgresParts } from "./writes.ts";

/** Rows per read, if some of them are not wanted. */
const ROWS_AT_ONCE = 512;
/** A load test that is made again under an id has other revisions than the one before. */
const FIRST_REVISION_MAX = 2 ** 47;

const NAME = "convert_from(load_tests.name, 'UTF8')";

/** Before all load tests. */
const FIRST: ListPosition = { startedAtMs: Number.MAX_SAFE_INTEGER, id: "" };

const LOCKED = `SELECT ${LOAD_TEST} FROM load_tests WHERE ${IS_LOAD_TEST} FOR UPDATE`;
const ONE = `${SUMMARIES} WHERE ${IS_LOAD_TEST}`;

export function openLoadTests({ database, numbers }: PostgresParts, scope: StoreScope): LoadTests {
  const { project } = scope;
  const key = (id: string) => keyOf({ scope, id });
  /** The values come after the five of a list. */
  async function searched(query: LoadTestQuery, values: Value[]): Promise<string> {
    const formats = await database.read("SELECT DISTINCT format FROM sources", []);
    const statements = figureStatements(query, computedFigure);
    const listed = shortestList(
      await database.readAll(statements.map((sql) => ({ sql, values: [] }))),
    );
    const parameter = (value: Value): string => `$${values.push(value) + 5}`;
    const isListed =
      listed === undefined ? "TRUE" : `load_tests.number = ANY (${parameter(listed)}::bigint[])`;
    const condition = searchCondition(query, {
      parameter: (value) => `${parameter(value)}::${typeof value === "string" ? "text" : "float8"}`,
      contains: (column, part) =>
        `${column === "name" ? NAME : `load_tests.${column}`} COLLATE "C" ILIKE ${parameter(`%${part}%`)}`,
      figure: computedFigure,
      formats: formats.map(({ format }) => String(format)),
    });
    return `${isListed} AND ${condition}`;
  }
  return {
    async create(loadTest) {
      const [number = 0] = await numbers.reserve(1);
      const begun = beginLoadTest({ ...loadTest, ...environmentOf(scope) });
      const { id, createdAtMs, hour = null } = begun;
      const revision = randomInt(FIRST_REVISION_MAX);
      const row: LoadTestRow = {
        number,
        project: project ?? "",
        hour,
        id,
        created_at_ms: createdAtMs,
        revision,
        blocks: 0,
        endpoints: 0,
        requests: 0,
        failed_requests: 0,
        hidden_endpoints: 0,
        uncounted_requests: 0,
        uncounted_failed_requests: 0,
        first_second: null,
        last_second: null,
        last_data_at_ms: null,
        ...columnsOf(begun),
      };
      const added = await database.write(addLoadTest(row, revision), false);
      if (added.length === 0) throw loadTestExists(id);
    },
    async find(id) {
      const [found] = await database.read(ONE, key(id));
      return found && summaryIn(found);
    },
    async list(query = {}) {
      const { limit = Infinity } = query;
      const atOnce = isFiltered(query) || limit === Infinity ? ROWS_AT_ONCE : limit;
      const values: Value[] = [];
      const condition = isFiltered(query) ? await searched(query, values) : "TRUE";
      const found: LoadTestSummary[] = [];
      let { after = FIRST } = query;
      for (;;) {
        const rows = await database.read(
          `${SUMMARIES} WHERE ${IN_SCOPE} AND ${STARTED_AT_MS} <= $3
             AND (${STARTED_AT_MS} < $3 OR load_tests.id > $4) AND ${condition}
           ORDER BY ${STARTED_AT_MS} DESC, load_tests.id LIMIT $5`,
          [...scopeKey(scope), after.startedAtMs, after.id, atOnce, ...values],
        );
        const some = rows.map(summaryIn);
        found.push(...some.filter((summary) => isWanted(summary, query)));
        const last = some.at(-1);
        if (rows.length < atOnce || last === undefined || found.length >= limit) break;
        after = positionOf(last);
      }
      return limit === Infinity ? found : found.slice(0, limit);
    },
    update: (id, request) =>
      database.transaction(async (run) => {
        const found = await lockedSummary(run, key(id));
        if (found === undefined) throw unknownLoadTest(id);
        const { row, latestRevision } = loadTestIn(found);
        const columns = columnsOf(changed(loadTestOf(row), request));
        const revision = laterRevision(latestRevision);
        const next = { ...row, ...columns, revision };
        return {
          result: summaryOf(next, formatsIn(found)),
          statements: [saveLoadTest(next, revision)],
        };
      }, false),
    delete: (id) =>
      database.transaction(async (run) => {
        const [found] = await run(LOCKED, key(id));
        if (found === undefined) throw unknownLoadTest(id);
        return { result: undefined, statements: removal(found) };
      }, false),
    deleteIf: (id, isDue) =>
      database.transaction(async (run) => {
        const found = await lockedSummary(run, key(id));
        const isDeleted = found !== undefined && isDue(summaryIn(found));
        return { result: isDeleted, statements: isDeleted ? removal(found) : [] };
      }, false),
    deleteUnused: (id) =>
      database.transaction(async (run: Run) => {
        const [found] = await run(LOCKED, key(id));
        if (found === undefined) return { result: undefined, statements: [] };
        const { row } = loadTestIn(found);
        const data = ["sources", "files"].map(
          (table) => `SELECT 1 FROM ${table} WHERE load_test = $1`,
        );
        const [first] = await run(`${data.join(" UNION ALL ")} LIMIT 1`, [row.number]);
        const isUsed = first !== undefined || isInUse(loadTestOf(row));
        return { result: undefined, statements: isUsed ? [] : removal(found) };
      }, true),
  };
}

/** Both are sent at once. In one statement, the sources would be those of before the lock was given, and the load test that of after. */
async function lockedSummary(run: Run, key: readonly Value[]): Promise<Row | undefined> {
  const [, [found]] = await Promise.all([run(LOCKED, key), run(ONE, key)]);
  return found;
}

function summaryIn(found: Row): LoadTestSummary {
  return summaryOf(loadTestIn(found).row, formatsIn(found));
}

/** Blocks stay for open snapshots, and their labels with them. */
function removal(found: Row): readonly Statement[] {
  const { row, latestRevision } = loadTestIn(found);
  const tables = [
    "sources",
    "batches",
    "reported_percentiles",
    "samples",
    "measure_series",
    "figures",
    "files",
  ];
  return [
    { sql: "DELETE FROM load_tests WHERE number = $1", values: [row.number] },
    {
      sql: `DELETE FROM sender_states
        WHERE project = $1 AND environment = $2 AND load_test_id = $3`,
      values: [row.project, row.hour === null ? "" : row.environment, row.id],
    },
    ...tables.map((table) => ({
      sql: `DELETE FROM ${table} WHERE load_test = $1`,
      values: [row.number],
    })),
    {
      sql: `UPDATE blocks SET level = NULL,
          shown_until = CASE WHEN shown_from IS NULL THEN 0 ELSE $2::bigint END,
          hidden_at_ms = CASE WHEN shown_from IS NULL THEN 0 ELSE ${NOW_MS} END
        WHERE load_test = $1 AND shown_until IS NULL`,
      values: [row.number, laterRevision(latestRevision)],
    },
    {
      sql: `DELETE FROM endpoints WHERE load_test = $1
        AND NOT EXISTS (SELECT 1 FROM blocks WHERE load_test = $1)`,
      values: [row.number],
    },
  ];
}
