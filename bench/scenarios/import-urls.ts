import { statSync } from "node:fs";
import { dataFile } from "../frame/data-file.ts";
import type { BenchContext, Scenario } from "../frame/scenario.ts";
import { atMost } from "../frame/targets.ts";
import { k6UrlPieces } from "../make-k6-urls.ts";
import { type FileToRead, IMPORT_COLUMNS, importing } from "./import-candidates.ts";
import { TACHOGRAPH } from "./tachograph.ts";

const REQUESTS = 3_000_000;
const MILLION = "1,000,000 URLs";

/** URLs, and further options of the import. */
const RUNS: readonly (readonly [name: string, urls: number, words: readonly string[]])[] = [
  ["100 URLs", 100, []],
  [MILLION, 1_000_000, []],
  [`${MILLION}, --group-urls`, 1_000_000, ["--group-urls"]],
];

export const importUrls: Scenario = {
  name: "import-urls",
  title: "Very many labels: a CSV file of k6 with 1,000,000 URLs",
  about: `
${REQUESTS.toLocaleString("en")} requests, a row each, to 100 URLs or to 1,000,000, each of them three times far apart: then nearly every row is a
separate data point.`,
  columns: IMPORT_COLUMNS,
  targets: [
    atMost({
      text: "1,000,000 distinct URLs",
      isHeadline: true,
      candidate: MILLION,
      column: "inside",
      limit: 6,
      unit: "s",
    }),
    atMost({
      text: "1,000,000 distinct URLs, memory",
      isHeadline: true,
      candidate: MILLION,
      column: "resident",
      limit: 512,
      unit: "MB",
    }),
  ],
  candidates: (context) =>
    RUNS.map(([name, urls, words]) => ({
      name,
      // Nothing is compared, and the figures hardly differ from round to round.
      roundsMax: 2,
      async open() {
        const file = await urlFile(context, context.isQuick ? urls / 100 : urls);
        const request = { file, context, words: [...words, "--labels-max", "1000000"] };
        return importing(name, TACHOGRAPH, request).open();
      },
    })),
};

async function urlFile(context: BenchContext, urls: number): Promise<FileToRead> {
  const requests = context.isQuick ? REQUESTS / 100 : REQUESTS;
  const name = `k6-urls-1-${requests}-requests-${urls}-urls.csv`;
  const path = await dataFile(context, name, () => k6UrlPieces({ requests, urls }));
  return { path, bytes: statSync(path).size };
}
