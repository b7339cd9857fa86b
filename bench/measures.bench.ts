/**
 * What measures add to the processor time and bytes of an import; pairs alternate, and ratios are medians over pairs:
 *
 *     node bench/measures.bench.ts [requests]
 */

import type { Format } from "../src/decode/decoder.ts";
import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { k6Csv } from "../src/decode/k6/k6-csv.ts";
import { importCost } from "./bytes/import-cost.ts";
import { median } from "./frame/statistics.ts";
import { jtl, k6 } from "./measured-files.ts";

const ROUNDS = 7;
const ENDPOINTS = 100;
/** Of each endpoint in a second, as in `npm run task bench`. */
const REQUESTS_PER_SECOND = 4;

const requests = Number(process.argv[2] ?? 400_000);
const file = { requests, seconds: requests / ENDPOINTS / REQUESTS_PER_SECOND };

await compare("JTL: Latency and Connect", jmeterCsv, {
  without: jtl(file, []),
  measured: jtl(file, ["Latency", "Connect"]),
});
await compare("k6: six phases, ten custom metrics", k6Csv, {
  without: k6(file, "requests"),
  measured: k6(file, "all"),
});

async function compare(
  name: string,
  format: Format,
  files: { readonly without: readonly Buffer[]; readonly measured: readonly Buffer[] },
): Promise<void> {
  const times: number[] = [];
  let bytes = Number.NaN;
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await importCost(format, files.without);
    const measured = await importCost(format, files.measured);
    bytes = measured.bytes / without.bytes;
    // The first round warms up.
    if (round > 0) times.push(measured.processorMs / without.processorMs);
  }
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
  const time = `${median(times).toFixed(2)} (${range}) x the processor time`;
  console.log(`${name.padEnd(36)} ${time}, ${bytes.toFixed(3)} x the bytes`);
}
