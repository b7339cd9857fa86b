/** Databases of time series that keep the dense load test and answer in the forms of their own. */

import { readFileSync } from "node:fs";
import path from "node:path";
import type { BenchContext } from "../frame/scenario.ts";
import { textOf } from "../servers/http-calls.ts";
import { startInfluxDb } from "../servers/influxdb.ts";
import { startQuestDb } from "../servers/questdb.ts";
import type { Contestant } from "./contestant.ts";
import { CELLS } from "./csv-shape.ts";
import { DENSE } from "./dense.ts";
import { cellsOf } from "./plain-answers.ts";
import { COLUMNS, denseRows, PEER_LOAD_TESTS, textFile } from "./rows-file.ts";
import { writeLines } from "./write-lines.ts";
import type { FoundCells } from "./same-numbers.ts";

/** The load tests of a time series follow one another, as real ones do. */
const APART_SECONDS = 86_400;
const TYPES = [...COLUMNS.map((name) => `${name} LONG`), "label SYMBOL"];

/** Rows as text: no function of it gathers as much text as an endpoint has. */
export async function questDbContestant({
  scratch,
  dataFolder,
}: BenchContext): Promise<Contestant> {
  const { url, stop } = await startQuestDb(path.join(scratch, "questdb"));
  const run = (sql: string) => textOf(`${url}/exec?query=${encodeURIComponent(sql)}`);
  await run(`CREATE TABLE base (${TYPES.join(", ")})`);
  await importText(`${url}/imp?name=base&forceHeader=false&delimiter=%09`, textFile(dataFolder));
  await run(
    `CREATE TABLE points AS (
       SELECT cast((second + load_test * ${APART_SECONDS}) * 1000000 AS TIMESTAMP) AS instant,
         ${COLUMNS.join(", ")}, label
       FROM base CROSS JOIN (SELECT x - 1 AS load_test FROM long_sequence(${PEER_LOAD_TESTS}))
       ORDER BY instant
     ) TIMESTAMP(instant) PARTITION BY DAY BYPASS WAL`,
  );
  return {
    name: "QuestDB",
    formats: ["csv"],
    loadTests: PEER_LOAD_TESTS,
    cells: cellsOfText,
    question(loadTest) {
      const { from, until } = secondsOf(loadTest);
      const sql = `SELECT label, ${CELLS.join(", ")} FROM points
        WHERE instant >= ${from}000000L AND instant < ${until}000000L ORDER BY label, second`;
      return { port: portOf(url), path: `/exp?query=${encodeURIComponent(sql)}` };
    },
    stop,
  };
}

/** The sums as JSON, an array for each second, under the tags of each endpoint. */
export async function influxDbContestant({ scratch }: BenchContext): Promise<Contestant> {
  const { url, stop } = await startInfluxDb(path.join(scratch, "influxdb"));
  for (let loadTest = 0; loadTest < PEER_LOAD_TESTS; loadTest++) {
    for (const body of linesOf(loadTest)) {
      await writeLines(`${url}/write?db=bench&precision=s`, body);
    }
  }
  return {
    name: "InfluxDB",
    formats: ["csv"],
    loadTests: PEER_LOAD_TESTS,
    cells: cellsOfSeries,
    question(loadTest) {
      const sql = `SELECT ${SUMS.join(", ")} FROM points WHERE load_test = '${loadTest}' GROUP BY endpoint`;
      const query = `db=bench&epoch=s&q=${encodeURIComponent(sql)}`;
      return { port: portOf(url), path: `/query?${query}` };
    },
    stop,
  };
}

/** Without the endpoint, which is a tag, and the second. */
const SUMS = COLUMNS.slice(2);
const LINES_AT_ONCE = 10_000;

function* linesOf(loadTest: number): Generator<string> {
  const rows = denseRows();
  for (let from = 0; from < rows.length; from += LINES_AT_ONCE) {
    const lines = rows.slice(from, from + LINES_AT_ONCE).map(([endpoint, second, ...sums]) => {
      const fields = sums.map((sum, index) => `${SUMS[index]}=${sum}i`);
      return `points,endpoint=${endpoint},load_test=${loadTest} ${fields.join(",")} ${second}`;
    });
    yield lines.join("\n");
  }
}

interface InfluxAnswer {
  readonly results: readonly {
    readonly series: readonly {
      readonly tags: { readonly endpoint: string };
      readonly values: readonly (readonly number[])[];
    }[];
  }[];
}

function cellsOfSeries(body: Buffer, labels: readonly string[]): FoundCells {
  const { results } = JSON.parse(body.toString()) as InfluxAnswer;
  const series = results[0]?.series ?? [];
  return new Map(
    series.map(({ tags, values }) => [
      labels[Number(tags.endpoint)] ?? "",
      values.map((row) => cellsOf([0, ...row])),
    ]),
  );
}

function cellsOfText(body: Buffer): FoundCells {
  const found = new Map<string, number[][]>();
  for (const line of body.toString().trim().split("\r\n").slice(1)) {
    const [label = "", ...cells] = line.split(",");
    const name = label.replaceAll('"', "");
    const rows = found.get(name) ?? [];
    rows.push(cells.map(Number));
    found.set(name, rows);
  }
  return found;
}

async function importText(url: string, file: string): Promise<void> {
  const form = new FormData();
  const schema = TYPES.map((column) => {
    const [name, type] = column.split(" ");
    return { name, type };
  });
  form.append("schema", JSON.stringify(schema));
  form.append("data", new Blob([readFileSync(file)]), "rows.tsv");
  const answer = await fetch(url, { method: "POST", body: form });
  if (!answer.ok) throw new Error(`QuestDB: ${await answer.text()}`);
}

function secondsOf(loadTest: number): { readonly from: number; readonly until: number } {
  const from = DENSE.firstSecond + loadTest * APART_SECONDS;
  return { from, until: from + DENSE.seconds };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
