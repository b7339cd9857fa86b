import { statSync } from "node:fs";
import { dataFile } from "../frame/data-file.ts";
import type { BenchContext, Candidate, Scenario } from "../frame/scenario.ts";
import { atMost, shareAtMost, timesLess } from "../frame/targets.ts";
import { jtlPieces } from "../make-jtl.ts";
import { checkImport } from "./check-import.ts";
import { aggregateSql, jtlSource } from "./duckdb-sql.ts";
import { type FileToRead, IMPORT_COLUMNS, importing, querying } from "./import-candidates.ts";
import { reporting } from "./jmeter-candidate.ts";
import { programs, TACHOGRAPH } from "./tachograph.ts";

const PLAIN = "DuckDB";
const WITH_HISTOGRAM = "DuckDB with a histogram";
const JMETER = "jmeter -g";
const OURS = TACHOGRAPH.name;
const compared = {
  ours: OURS,
  column: "inside",
  processorColumn: "processor",
  unit: "s",
  isHeadline: true,
};
const processor = { peer: PLAIN, column: "processor", unit: "s", isHeadline: true };

export const importJtl: Scenario = {
  name: "import-jtl",
  title: "A JMeter result file, from the file to the durable store",
  about: `
5,000,000 rows of 100 labels in one hour, 1 % errors (one in three of them quoted over two lines), 17 columns, 1 GB, in the page
cache. "Inside" is the time from opening the file to the published load test, as the report of the import tells it; DuckDB's is
from the begin of the query to its result in memory, in which it holds nothing durably. DuckDB groups by label and second with the
same sums, minimum and maximum, those of latency, connect, idle and sent bytes among them, the second time with a histogram of the same buckets; it uses all cores. \`jmeter -g\` reads the
first fifth of the rows, and its times are multiplied by five. Before the rounds, the sums of every label and second are compared with
DuckDB's as text, and percentiles of every label to 0.8 %.`,
  columns: IMPORT_COLUMNS,
  relative: { column: "inside", to: [PLAIN, WITH_HISTOGRAM, JMETER] },
  targets: [
    timesLess({ ...compared, text: "JTL 1 GB, durable", peer: PLAIN, times: 1.8 }),
    timesLess({
      ...compared,
      text: "JTL 1 GB, durable, the same histogram",
      peer: WITH_HISTOGRAM,
      times: 3.5,
    }),
    shareAtMost({
      ...processor,
      text: "processor time of the JTL",
      ours: OURS,
      times: 0.55,
    }),
    timesLess({ ...compared, isHeadline: false, text: "`jmeter -g`", peer: JMETER, times: 100 }),
    atMost({
      text: "resident",
      candidate: OURS,
      column: "resident",
      limit: 256,
      unit: "MB",
    }),
  ],
  async check(context) {
    const file = await jtl(context, context.rows);
    return checkImport({ file, source: jtlSource(file.path), context });
  },
  async candidates(context) {
    const file = await jtl(context, context.rows);
    const part = await jtl(context, context.rows / 5);
    const source = jtlSource(file.path);
    return [
      ...programs(context).map((program) => importing(program.name, program, { file, context })),
      querying(PLAIN, aggregateSql(source), file),
      querying(WITH_HISTOGRAM, aggregateSql(source, "histogram"), file),
      reporting(JMETER, { file: part, times: 5, context }),
    ] satisfies Candidate[];
  },
};

/** A file of the options that a scenario does not choose otherwise. */
export async function jtl(context: BenchContext, rows: number, labels = 100): Promise<FileToRead> {
  const path = await dataFile(context, `jmeter-2-${rows}-rows-${labels}-labels.jtl`, () =>
    jtlPieces({ rows, labels }),
  );
  return { path, bytes: statSync(path).size };
}
