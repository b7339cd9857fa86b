import { anomaliesOf } from "./incidents.ts";
import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { firstOf } from "../../../test/support/anomalies.ts";
import { batchOf, type LabelledSample } from "../../../test/support/batches.ts";
import { seriesName } from "../../model/series/facets.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readFindings } from "./read-findings.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const START = 1_700_000_000;
const SEEDS = Number(process.env["SEEDS"] ?? 10);

type IsHit = (second: number, host: string) => boolean;

/** Ten minutes of 24 requests a second by four hosts in two regions; log-normal response times around 50 ms. */
function samplesOf(seed: number, isSlow: IsHit, isFailing: IsHit): LabelledSample[] {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: 600 * 24 }, (_, index) => {
    const second = Math.floor(index / 24);
    const number = Math.floor(random() * 4);
    const host = `host-${number}`;
    const facets = [
      ["host", host],
      ["region", number < 2 ? "eu" : "us"],
    ] as const;
    return {
      label: seriesName(random() < 0.5 ? "GET /" : "GET /cart", facets),
      second: START + second,
      elapsedMicros: Math.round(50_000 * Math.exp(0.5 * normal()) * (isSlow(second, host) ? 4 : 1)),
      receivedBytes: 100,
      failed: random() < (isFailing(second, host) ? 0.9 : 0.0001),
    };
  });
}

async function findingsOf(...given: Parameters<typeof samplesOf>) {
  const store = await memoryStoreWith(batchOf(samplesOf(...given)));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return readFindings(store.points, query);
}

const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
const never: IsHit = () => false;
const isHit: IsHit = (second, host) => second >= 300 && host === "host-2";
const isLate: IsHit = (second) => second >= 300;

test("incidents of one host name it, and its region where the other host had nothing of it", async () => {
  const named = { step: 0, burst: 0 };
  for (const seed of seeds) {
    const step = firstOf(await findingsOf(seed, isHit, never), "step");
    if (step?.facets?.some(({ name, value }) => name === "host" && value === "host-2"))
      named.step += 1;
    const failing: IsHit = (second, host) => isHit(second, host) && second < 310;
    const burst = firstOf(await findingsOf(seed, never, failing), "burst");
    if (burst?.facets?.[0]?.value === "host-2" && burst.facets[1]?.value === "us") named.burst += 1;
  }
  expect(named.step).toBeGreaterThanOrEqual(0.9 * SEEDS);
  expect(named.burst).toBeGreaterThanOrEqual(0.9 * SEEDS);
}, 600_000);

test("healthy runs, and incidents of all hosts, name none", async () => {
  for (const seed of seeds) {
    const all = [
      await findingsOf(seed, never, never),
      await findingsOf(seed, isLate, never),
      await findingsOf(seed, never, (second) => second >= 300 && second < 306),
    ];
    expect(all.map(({ incidents }) => anomaliesOf(incidents).map(({ kind }) => kind))).toEqual([
      [],
      ["step"],
      ["burst"],
    ]);
    const anomalies = all.flatMap(({ incidents }) => anomaliesOf(incidents));
    expect(anomalies.filter((each) => "facets" in each)).toEqual([]);
  }
}, 600_000);
