import { beforeEach, expect, test } from "vitest";
import { batchOf, requestsByLabel, sample } from "../../test/support/batches.ts";
import { createTestServer, type TestServer } from "../../test/support/test-server.ts";
import { encodeBatch } from "../wire/batch.ts";

let world: TestServer;
let key: string;

beforeEach(async () => {
  world = await createTestServer({ settings: { labelsMax: 3 } });
  key = await world.makeKey("write");
});

async function post(url: string, payload: string | Buffer) {
  const { statusCode: status, body } = await world.ask(url, { method: "POST", key, payload });
  return { status, body };
}

function sendBatch(sequence: number, ...labels: readonly string[]) {
  const samples = labels.map((label) => sample(label, 1));
  const bytes = encodeBatch(batchOf(samples, { sequence }));
  return post("/Api/LoadTests/run/Batches", Buffer.from(bytes));
}

const lines = (...labels: readonly string[]): string =>
  labels
    .map((label, n) => `http_req_duration,name=${label},status=200 value=5 ${1.7e18 + n}\n`)
    .join("");

const csv = (...labels: readonly string[]): string =>
  ["timeStamp,elapsed,label,success", ...labels.map((label) => `1700000000000,5,${label},true`)]
    .map((row) => `${row}\n`)
    .join("");

const LIMIT = "it may have 3 labels (setting labelsMax, --labels-max)";

test("a batch with a label too many is 422, names it and the setting, and nothing of it is stored", async () => {
  expect(await sendBatch(0, "a", "b")).toMatchObject({ status: 200 });
  const refused = await sendBatch(1, "a", "c", "d", "e");
  expect(refused.status).toBe(422);
  expect(JSON.parse(refused.body)).toMatchObject({
    type: "urn:tachograph:error:too-many-labels",
    detail: `cannot take label "d" and 1 more into load test "run": ${LIMIT}`,
    labels: ["d", "e"],
    labelsMax: 3,
  });
  expect(await requestsByLabel(world.store)).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  expect(await sendBatch(1, "c")).toMatchObject({ status: 200 });
});

test("line protocol within the label limit is stored, and the rest is counted", async () => {
  const flood = lines("a", "b", "c", "d", "d", "a");
  const answer = await post("/write?db=live", flood);
  expect(answer).toEqual({
    status: 400,
    body: JSON.stringify({
      error: `partial write: cannot take label "d" into load test "live": ${LIMIT} dropped=2`,
    }),
  });
  const kept = [
    ["a", 2],
    ["b", 1],
    ["c", 1],
  ];
  expect(await requestsByLabel(world.store, "live")).toEqual(kept);
  await post("/write?db=live", flood);
  expect(await requestsByLabel(world.store, "live")).toEqual(kept);
  expect(world.logged).toContainEqual(
    expect.objectContaining({ event: "lines_rejected", rejected: 2 }),
  );
});

/** Each line of JMeter's listener has ten requests. */
const intervals = (more: string, ...labels: readonly string[]): string =>
  labels
    .map(
      (label) => `jmeter,statut=all,transaction=${label} avg=5,count=10,min=1,max=9${more} 17e11\n`,
    )
    .join("")
    .replaceAll("17e11", "1700000000000");

const FITTING = ["a", "b", "c"].map((label) => [label, 10]);

test.each([
  ["of several requests", ""],
  ["with percentiles", ",pct95.0=8"],
])("lines %s within the label limit are stored, and the rest is counted", async (_, more) => {
  const answer = await post("/write?db=live", intervals(more, "a", "b", "c", "d"));
  expect(answer.status).toBe(400);
  expect(answer.body).toContain("dropped=10");
  expect(await requestsByLabel(world.store, "live")).toEqual(FITTING);
});

test("invalid lines and labels over the limit are counted together", async () => {
  const answer = await post("/write?db=live", `${lines("a", "b", "c", "d")}broken\n`);
  expect(answer.body).toMatch(/label \\"d\\" .*; line 5: .* dropped=2/);
});

test("rows of a file with labels over the limit count under (other), and the report says so", async () => {
  const { status, body } = await post("/Api/LoadTests/file/Results", csv("a", "b", "c", "d", "e"));
  expect(status).toBe(201);
  expect(JSON.parse(body)).toMatchObject({
    samples: { read: 5, recorded: 5, rejected: 0 },
    endpoints: 4,
    other: { requests: 2, labels: null, labelsMax: 3 },
    notes: [
      "no bytes column: response sizes are unknown",
      "2 requests of labels beyond the 3 that a load test may have (--labels-max) count under (other)",
    ],
  });
  expect(await requestsByLabel(world.store, "file")).toEqual([
    ["(other)", 2],
    ["a", 1],
    ["b", 1],
    ["c", 1],
  ]);
  const next = await post("/Api/LoadTests/file/Results", csv("z", "c", "y"));
  expect(JSON.parse(next.body)).toMatchObject({
    endpoints: 2,
    other: { requests: 2, labels: 2, labelsMax: 3 },
  });
  const roomy = await post("/Api/LoadTests/new/Results", csv("a", "b", "c"));
  expect(JSON.parse(roomy.body)).toMatchObject({ other: null });
});
