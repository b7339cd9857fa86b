/**
 * Runs the queries of docs/internals/formats/clickhouse.md verbatim and compares them with the service's
 * answers.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUCKET_COUNT, bucketFloor, bucketWidth, valueIn } from "../../../src/model/histogram.ts";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { readRecording } from "../../demo/recording.ts";
import { importAndRead, LOAD_TEST_ID } from "../../samples/import-and-read.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { addWhatIsNotMeasured } from "./what-is-not-measured.ts";
import { addWhatIsNotSeen } from "./what-is-not-seen.ts";
import { type SqlDatabase, sqlDatabase } from "./sql-database.ts";
import { EXPECTED_ANSWERS } from "./expected-answers.ts";

const DOCUMENT = path.join(import.meta.dirname, "../../../docs/internals/formats/clickhouse.md");

const TEXT = readFileSync(DOCUMENT, "utf8");

/** By the headings above them. */
const QUERIES: ReadonlyMap<string, string> = new Map(
  TEXT.split(/^##+ /m).flatMap((section) => {
    const [, heading = "", sql] =
      /^(.+)\n[^]*?(?:^```sql\n([^]+?)^```|$(?![^]))/m.exec(section) ?? [];
    return sql === undefined
      ? []
      : [[heading, sql.replaceAll("release-42", LOAD_TEST_ID)] as const];
  }),
);

export function documentedQueriesHold(kind: Kind): void {
  const servers = serversForTests(kind);
  let store: Store;
  let database: SqlDatabase;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const made = await makeDatabase(servers());
    store = await openClickHouseStore(made.settings, { now: Date.now });
    database = sqlDatabase(made.settings);
    close = async () => {
      await store.close();
      await made.drop();
    };
    await importAndRead(readRecording(), { store });
    await addWhatIsNotMeasured(store.points);
    await addWhatIsNotSeen(store, database);
  });
  afterAll(() => close());

  test("every query of the document is tried", () => {
    expect([...QUERIES.keys()]).toEqual(Object.keys(EXPECTED_ANSWERS));
  });

  test.each(Object.entries(EXPECTED_ANSWERS))("%s", async (heading, answer) => {
    const expected = await answer(store);
    expect(expected.length).toBeGreaterThan(0);
    expect(await database.rows(QUERIES.get(heading) ?? "")).toEqual(expected);
  });

  test("the bounds and the middle of every bucket", async () => {
    const formulas = [...TEXT.matchAll(/^\|[^|]+\| `(.+?)` +\| `(.+)` +\|$/gm)]
      .filter(([, below]) => below === "b" || below === "1")
      .map(([, below, above]) => `if(b < 128, toUInt64(${below}), toUInt64(${guarded(above)}))`);
    const rows = await database.rows(
      `SELECT b, ${formulas.join(", ")} FROM (SELECT toUInt16(number) AS b FROM system.numbers LIMIT ${BUCKET_COUNT}) ORDER BY b`,
    );
    expect(rows).toEqual(
      Array.from({ length: BUCKET_COUNT }, (_, bucket) => [
        bucket,
        bucketFloor(bucket),
        bucketWidth(bucket),
        valueIn(bucket, {
          minMicros: 0,
          maxMicros: Number.MAX_SAFE_INTEGER,
          isWholeMillis: false,
        }),
      ]),
    );
  });
}

/** Both branches are computed for all rows, so the unused one must be valid, too. */
function guarded(formula = ""): string {
  return formula.replace(/intDiv\(b, 64\)/, "greatest(intDiv(b, 64), 2)");
}
