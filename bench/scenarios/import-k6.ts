import { statSync } from "node:fs";
import { dataFile } from "../frame/data-file.ts";
import type { BenchContext, Scenario } from "../frame/scenario.ts";
import { timesLess } from "../frame/targets.ts";
import { k6Pieces } from "../make-k6.ts";
import { checkImport } from "./check-import.ts";
import { aggregateSql, k6CsvSource, k6JsonSource, type SqlSource } from "./duckdb-sql.ts";
import { type FileToRead, IMPORT_COLUMNS, importing, querying } from "./import-candidates.ts";
import { programs, TACHOGRAPH } from "./tachograph.ts";

const PLAIN = "DuckDB";
const WITH_HISTOGRAM = "DuckDB with a histogram";

export const importK6Csv = importK6({
  form: "csv",
  title: "A CSV file of k6, from the file to the durable store",
  rowsPerRequest: 10,
  reader: "read_csv",
  sourceOf: k6CsvSource,
});

export const importK6Json = importK6({
  form: "json",
  title: "A JSON file of k6, from the file to the durable store",
  rowsPerRequest: 20,
  reader: "read_json",
  sourceOf: k6JsonSource,
});

interface K6Request {
  readonly form: "csv" | "json";
  readonly title: string;
  /** A file of k6 has so few requests that it is about as long as that of JMeter. */
  readonly rowsPerRequest: number;
  readonly reader: string;
  readonly sourceOf: (file: string, request: "fast" | "exact") => SqlSource;
}

function importK6({ form, title, rowsPerRequest, reader, sourceOf }: K6Request): Scenario {
  const fileOf = (context: BenchContext): Promise<FileToRead> =>
    k6File(context, form, context.rows / rowsPerRequest);
  return {
    name: `import-k6-${form}`,
    title,
    about: `
${(5_000_000 / rowsPerRequest).toLocaleString("en")} requests to 100 URLs in one hour, 1 % errors, each with all metrics that k6 writes: 0.9 GB, in the page cache. Times as for
\`import-jtl\`. DuckDB reads with \`${reader}\`, names and types given, and groups all rows by metric, URL and second. Before the
rounds, the same comparison with DuckDB, which there reads durations as decimal numbers, so that both are exact.`,
    columns: IMPORT_COLUMNS,
    relative: { column: "inside", to: [PLAIN, WITH_HISTOGRAM] },
    targets: [
      timesLess({
        text: `k6 ${form.toUpperCase()}, durable`,
        isHeadline: true,
        ours: TACHOGRAPH.name,
        peer: PLAIN,
        column: "inside",
        processorColumn: "processor",
        unit: "s",
        times: 2,
      }),
    ],
    async check(context) {
      const file = await fileOf(context);
      return checkImport({ file, source: sourceOf(file.path, "exact"), context });
    },
    async candidates(context) {
      const file = await fileOf(context);
      const source = sourceOf(file.path, "fast");
      return [
        ...programs(context).map((program) => importing(program.name, program, { file, context })),
        querying(PLAIN, aggregateSql(source), file),
        querying(WITH_HISTOGRAM, aggregateSql(source, "histogram"), file),
      ];
    },
  };
}

async function k6File(
  context: BenchContext,
  form: "csv" | "json",
  requests: number,
): Promise<FileToRead> {
  const path = await dataFile(context, `k6-1-${requests}-requests.${form}`, () =>
    k6Pieces({ form, requests }),
  );
  return { path, bytes: statSync(path).size };
}
