/**
 * The bytes of `GET /Api/Metrics` for 20 recorded results in three formats, held against what
 * version 58d35bb answered, before the code was rebuilt. A line differs only where the contract does.
 * A run that was exported as Parquet and imported again answers the same bytes.
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

/** File below `test/fixtures`, then the first 12 digits of SHA-256 as csv, xy and default. */
const GOLDEN: readonly (readonly [file: string, digests: string])[] = [
  ["jmeter-csv/gen-jmeter-5.6.3-default.jtl.gz", "7837e2bed0ff de7b57e57999 7c7a83fd90f1"],
  [
    "jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms.csv.gz",
    "c487e492f05f 5b4e7e65cc8b 9818d85196b1",
  ],
  ["jmeter-csv/gen-jmeter-5.6.3-all-columns-vars.csv.gz", "4c9a82e06299 cb8e880a055d f9b5894b49c4"],
  ["jmeter-csv/gen-jmeter-5.6.3-append-twice.jtl.gz", "1924176245bd bfeef97325e8 b1db71677382"],
  [
    "jmeter-csv/gen-2.13-comma-header-failuremsg-multiline.jtl.gz",
    "a4dd736b8c59 0b7937804053 52210b3e0175",
  ],
  ["jmeter-xml/gen-jmeter-5.6.3-default.jtl.gz", "8d846b35e5df 0d9391653559 4a1bf9ef309e"],
  ["jmeter-xml/gen-2.13-xml-full-data.jtl.gz", "ef90722b8618 dee149b8fa0f e99bd4016313"],
  ["k6-csv/gen-k6-1.8.1-main.csv.gz", "2a5ac26cfc07 0fdb4b2d256b 39187f7930a5"],
  ["k6-csv/gen-k6-1.8.1-rfc3339.csv.gz", "3177c2bfb087 480d7eaacb19 885b076e3e7a"],
  ["k6-json/gen-k6-1.8.1-main.json.gz", "a7bc53df9692 f493edaead71 82c2ebaa5ca6"],
  ["gatling-text/gen-gatling-3.12.0.simulation.log.gz", "ef5b1dfb2a9b 7e07d2f90573 54e3eaa6a027"],
  ["gatling-binary/gen-gatling-3.15.1.simulation.log.gz", "f6283c71f6ca ca648f9baf5f 7d393c0b4772"],
  [
    "artillery/gen-artillery-2.0.34-metrics-by-endpoint.json.gz",
    "3a6674f39456 d10c805ecc2f de7435bf2961",
  ],
  ["artillery/gen-artillery-2.0.34-namespace.json.gz", "cb4b16a80a3f 6d052865f423 50ea30dfa90d"],
  ["goose/gen-goose-0.19.0-csv-requests.csv.gz", "85525c17f8eb b1365d62244a 1b21ca782657"],
  ["goose/gen-goose-0.19.0-json-requests.json.gz", "552441052111 d9b571dc8f10 ac785b8c34cf"],
  ["har/gen-har-playwright-1.65.1-full.har.gz", "3b46e449bbc4 f413891033f0 77dcf7d8077f"],
  [
    "locust/gen-locust-2.47.0-full-history_stats_history.csv.gz",
    "757a872268f9 37a22779774f c9d711c3fcc8",
  ],
  [
    "locust/gen-locust-2.47.0-request-log_requests.csv.gz",
    "7c6b8b83e9ca fc956daf48f5 651671c99360",
  ],
  [
    "locust/gen-locust-2.47.0-distributed_stats_history.csv.gz",
    "bd813d7f4444 3f77801a209f c2a29504aa34",
  ],
];

/** A letter of most labels. */
const FILTER = "e";

const FIXTURES = path.join(import.meta.dirname, "../fixtures");

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-golden-"));
let server: RunningTachograph;
let [url, key] = ["", ""];

beforeAll(async () => {
  const words = ["keys", "create", "--name", "golden", "--scope", "read,write", "--data", folder];
  key = (await runTachograph(words)).out.trim();
  server = startTachograph(["serve", "--port", "0", "--data", folder]);
  url = /http:\S+?(?=\/?\s)/.exec(await server.printed("answers at http://127.0.0.1:"))?.[0] ?? "";
});

afterAll(async () => {
  server.process.kill("SIGTERM");
  await server.outcome;
  rmSync(folder, { recursive: true });
});

test.each(GOLDEN)("%s", async (file, expected) => {
  const loadTestId = file.replaceAll(/[^a-z0-9.-]/gi, "-");
  const address = `${url}/Api/LoadTests/${loadTestId}/Results?file=${path.basename(file)}`;
  const body = readFileSync(path.join(FIXTURES, file));
  const uploaded = await fetch(address, {
    method: "POST",
    headers: { "X-Service-Auth": key },
    body,
  });
  expect({ status: uploaded.status, text: await uploaded.text() }).toMatchObject({ status: 201 });
  expect(await digestsOf(loadTestId)).toBe(expected);
  const exported = path.join(folder, `${loadTestId}.parquet`);
  writeFileSync(exported, await ask(`/Api/LoadTests/${loadTestId}/Export`));
  const words = ["import", exported, "--id", `again-${loadTestId}`, "--data", folder];
  expect(await runTachograph(words)).toMatchObject({ exitCode: 0 });
  expect(await digestsOf(`again-${loadTestId}`)).toBe(expected);
});

async function digestsOf(loadTestId: string): Promise<string> {
  const digests: string[] = [];
  for (const format of ["&format=csv", "&format=xy", ""]) {
    const bytes = await ask(`/Api/Metrics?loadTestId=${loadTestId}&filter=${FILTER}${format}`);
    digests.push(createHash("sha256").update(bytes).digest("hex").slice(0, 12));
  }
  return digests.join(" ");
}

/** A response that is neither a problem document nor empty. */
async function ask(address: string): Promise<Buffer> {
  const read = await fetch(`${url}${address}`, { headers: { "X-Service-Auth": key } });
  const bytes = Buffer.from(await read.arrayBuffer());
  expect(read.status).toBe(200);
  expect(bytes.length).toBeGreaterThan(300);
  return bytes;
}
