/**
 * Writes a JMeter CSV file like those of a real run, the same for the same options:
 *
 *     node bench/make-jtl.ts --rows 2000000 > big.jtl
 */

import { parseArgs } from "node:util";
import { seededRandom } from "./seeded-random.ts";

export interface JtlOptions {
  readonly rows: number;
  /** @default 100 */
  readonly labels?: number;
  /** Share of rows that failed; one in three of them has a quoted message over two lines. @default 0.01 */
  readonly errors?: number;
  /** Seconds over which the rows are spread. @default 3600 */
  readonly seconds?: number;
  /** Thread groups, in turn by row. @default 1 */
  readonly groups?: number;
  /** @default 1 */
  readonly seed?: number;
}

const HEADER =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n";
const FIRST_MS = 1_795_219_936_333;
const ROWS_PER_PIECE = 4096;
const PLACES = ["Home", "Products", "Search", "Cart", "Checkout", "Login", "Orders", "Profile"];

/** The file in pieces of a few thousand rows. */
export function* jtlPieces(options: JtlOptions): Generator<string> {
  const { rows, labels = 100, errors = 0.01, seconds = 3600, groups = 1, seed = 1 } = options;
  const random = seededRandom(seed);
  const names = Array.from({ length: labels }, (_, index) => labelOf(index, random));
  let piece = HEADER;
  for (let row = 0; row < rows; row++) {
    // Not sorted: a row is written when its request ends.
    const startMs = FIRST_MS + Math.floor((row / rows) * seconds * 1000 + random() * 2000);
    const index = Math.floor(random() ** 2 * labels);
    const group = groups === 1 ? "Shop users 1" : `Group ${row % groups} ${1 + (row % groups)}`;
    piece += rowOf({
      startMs,
      group,
      label: names[index] ?? "",
      failed: random() < errors,
      random,
    });
    if (row % ROWS_PER_PIECE === ROWS_PER_PIECE - 1) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

interface Row {
  readonly group: string;
  readonly startMs: number;
  readonly label: string;
  readonly failed: boolean;
  readonly random: () => number;
}

function rowOf({ startMs, group, label, failed, random }: Row): string {
  const elapsed = Math.floor(8 + 2000 * random() ** 6);
  const bytes = Math.floor(400 + 60_000 * random() ** 3);
  const threads = 1 + Math.floor(random() * 99);
  const answer = failed
    ? `500,Internal Server Error,${group}-${threads},text,false,${messageOf(random)}`
    : `200,OK,${group}-${threads},text,true,`;
  return `${startMs},${elapsed},${label},${answer},${bytes},512,${threads},100,https://shop.example/api/v2/catalogue/items/${bytes}?page=${threads}&sort=price&locale=en-GB,${elapsed >> 1},0,${threads & 3}\n`;
}

function messageOf(random: () => number): string {
  return random() < 1 / 3
    ? '"Test failed: text expected to contain ""id"",\nfound none"'
    : "Test failed: code expected to equal 200";
}

function labelOf(index: number, random: () => number): string {
  const path = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    return PLACES[Math.floor(random() * PLACES.length)] ?? "";
  });
  return `${String(index).padStart(3, "0")} ${path.join(" / ")} /api/v2/items`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "1500000" },
      labels: { type: "string", default: "100" },
      errors: { type: "string", default: "0.01" },
      seconds: { type: "string", default: "3600" },
      seed: { type: "string", default: "1" },
    },
  });
  const options = {
    rows: Number(values.rows),
    labels: Number(values.labels),
    errors: Number(values.errors),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  for (const piece of jtlPieces(options)) {
    if (!process.stdout.write(piece)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
}
