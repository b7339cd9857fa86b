import { expect, test } from "vitest";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import { batchOf, sample } from "../support/batches.ts";
import { decodeSource } from "../support/decode-source.ts";
import { createTestServer } from "../support/test-server.ts";

const LOAD_TEST = "/Api/LoadTests/run";
const ANSWER_MS_MAX = 1000;
const ANSWER_MIB_MAX = 20;

/** All that can be asked of a load test, with most that makes it finer. */
const READS = [
  "/Api/Metrics?loadTestId=run&filter=a&format=csv",
  "/Api/Metrics?loadTestId=run&filter=a&format=xy",
  "/Api/Metrics?loadTestId=run&filter=a&resolution=60",
  `${LOAD_TEST}/Summary`,
  `${LOAD_TEST}/Percentiles?filter=a`,
  `${LOAD_TEST}/Percentiles?filter=a&merge=true&resolution=10`,
  `${LOAD_TEST}/Heatmap?columns=1000`,
  `${LOAD_TEST}/Distribution`,
  `${LOAD_TEST}/Failures?series=true&filter=a`,
  `${LOAD_TEST}/Users`,
  `${LOAD_TEST}/Capacity`,
  `${LOAD_TEST}/Findings`,
  `${LOAD_TEST}/Compare?base=run`,
  `${LOAD_TEST}/Report`,
  LOAD_TEST,
];

test("a load test of 136 years with three seconds in it is answered like one of three seconds", async () => {
  const seconds = [1, 2 ** 31, 2 ** 32 - 1];
  const samples = seconds.flatMap((second) =>
    Array.from({ length: 40 }, (_, number) => ({
      ...sample("a", second, 1000 + number),
      failed: number % 7 === 0,
    })),
  );
  const { server, store, key } = await createTestServer({ samples });
  const users = { generators: [""], counts: usersAt(seconds) };
  await store.points.append({ ...batchOf([], { sourceId: "users" }), users });
  for (const url of READS) {
    const [startedAt, rssBefore] = [performance.now(), process.memoryUsage.rss()];
    const answer = await server.inject({ url, headers: { "x-service-auth": key } });
    const mib = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
    expect({ url, status: answer.statusCode }).toEqual({ url, status: 200 });
    expect(answer.body.length).toBeLessThan(100_000);
    expect(performance.now() - startedAt).toBeLessThan(ANSWER_MS_MAX);
    expect(mib).toBeLessThan(ANSWER_MIB_MAX);
  }
  await server.close();
});

function usersAt(seconds: readonly number[]) {
  const each = (value: number): Float64Array<ArrayBuffer> =>
    new Float64Array(seconds.length).fill(value);
  return {
    generator: new Uint32Array(seconds.length),
    second: Uint32Array.from(seconds),
    active: each(3),
    started: each(0),
    ended: each(0),
  };
}

// Whoever sends nanoseconds as milliseconds, or seconds, is told so, row by row.
test.each([
  ["0", 0],
  ["1", undefined],
  ["1000", undefined],
  ["795232610052", undefined],
  ["1795232610052", 1_795_232_610],
  ["4294967295999", 2 ** 32 - 1],
  ["4294967296000", undefined],
  ["253402300800000", undefined],
  ["1795232610052000000", undefined],
  ["-1", undefined],
  ["-62135596800000", undefined],
  ["9999-12-31 23:59:59.999", undefined],
  ["1e12", undefined],
  ["0x10", undefined],
])("the timestamp %s of a JTL is at second %s, or rejected", (timeStamp, second) => {
  const source = `timeStamp,elapsed,label,success\n${timeStamp},1,a,true\n`;
  const { samples, rejections } = decodeSource(jmeterCsv, source);
  expect(samples.map((each) => each.second)).toEqual(second === undefined ? [] : [second]);
  expect(rejections.map(({ reason }) => reason.split(":")[0])).toEqual(
    second === undefined ? ["cannot read timeStamp"] : [],
  );
});
