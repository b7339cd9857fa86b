import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeEach, expect, test } from "vitest";
import { batchOf, published, requestsByLabel, sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { BATCH_BYTES_MAX, encodeBatch } from "../wire/batch.ts";

const world = await createTestServer();
const key = await world.makeKey("write");
let runs = 0;
let path = "";
let loadTestId = "";
afterAll(() => world.server.close());

beforeEach(async () => {
  loadTestId = `run-${++runs}`;
  path = `/Api/LoadTests/${loadTestId}`;
  await world.store.loadTests.create({ id: loadTestId, name: "Run", createdAtMs: 1 });
});

interface Sent {
  readonly status: number;
  readonly body: unknown;
}

async function send(
  method: "GET" | "POST" | "DELETE",
  url: string,
  payload?: Uint8Array | object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const answer = await world.server.inject({
    method,
    url,
    headers: { "x-service-auth": key, ...headers },
    ...(payload === undefined
      ? {}
      : { payload: payload instanceof Uint8Array ? Buffer.from(payload) : payload }),
  });
  const { statusCode: status } = answer;
  return { status, body: answer.body === "" ? undefined : answer.json() };
}

const FOUR = { sourceId: "sender", sequence: 4 } as const;
const batch = (): Uint8Array => encodeBatch(batchOf([sample("a", 1), sample("b", 2)], FOUR));

test.each([
  ["gzip, br, zstd", undefined],
  ["gzip, identity;q=0", "gzip"],
])("an acknowledgement to Accept-Encoding %s has the coding %s", async (accepted, coding) => {
  const { headers } = await world.ask(`${path}/Batches`, {
    method: "POST",
    key,
    headers: { "accept-encoding": accepted },
    payload: Buffer.from(batch()),
  });
  expect(headers["content-encoding"]).toBe(coding);
});

test("a batch is stored once, and its repetition is reported", async () => {
  const first = await send("POST", `${path}/Batches`, batch());
  expect(first).toEqual({ status: 200, body: { duplicate: false } });
  const again = await send("POST", `${path}/Batches`, batch());
  expect(again).toEqual({ status: 200, body: { duplicate: true } });
  expect(await requestsByLabel(world.store, loadTestId)).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  expect(await send("GET", `${path}/Sources`)).toEqual({
    status: 200,
    body: { live: [{ sourceId: "sender", lastSequence: 4 }], published: [] },
  });
});

test.each([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a batch may come compressed with %s", async (coding, compress) => {
  const headers = { "content-encoding": coding };
  const sent = await send("POST", `${path}/Batches`, compress(batch()), headers);
  expect(sent).toEqual({ status: 200, body: { duplicate: false } });
});

test.each<[string, () => Promise<Sent>, number, string]>([
  ["no batch", () => send("POST", `${path}/Batches`, Buffer.from("hello")), 400, "bad-batch"],
  ["an empty body", () => send("POST", `${path}/Batches`, Buffer.alloc(0)), 400, "bad-batch"],
  [
    "too many bytes",
    () => send("POST", `${path}/Batches`, Buffer.alloc(BATCH_BYTES_MAX + 1)),
    413,
    "body-too-large",
  ],
  [
    "too many bytes once they are inflated",
    () =>
      send("POST", `${path}/Batches`, zstdCompressSync(Buffer.alloc(BATCH_BYTES_MAX + 1)), {
        "content-encoding": "zstd",
      }),
    413,
    "body-too-large",
  ],
  [
    "a load test that is not there",
    () => send("POST", "/Api/LoadTests/none/Batches", batch()),
    404,
    "unknown-load-test",
  ],
  ["sources of none", () => send("GET", "/Api/LoadTests/none/Sources"), 404, "unknown-load-test"],
  [
    "the source of nobody",
    () => send("POST", `${path}/Sources/..%2Fx/Publish`, { name: "a" }),
    400,
    "bad-parameter",
  ],
  [
    "half of what is needed",
    () => send("POST", `${path}/Sources/x/Publish`, { name: "a" }),
    400,
    "bad-parameter",
  ],
])("%s is refused", async (_, sending, status, code) => {
  expect(await sending()).toMatchObject({
    status,
    body: { type: `urn:tachograph:error:${code}`, status },
  });
});

test("a batch out of sequence is a conflict, whatever else is wrong with it", async () => {
  await send("POST", `${path}/Batches`, batch());
  const conflicts = [
    batchOf([sample("a", 9)], FOUR),
    batchOf([], { ...FOUR, sequence: 9, follows: 3 }),
    batchOf([], { ...FOUR, sequence: 9, visibility: "staged" }),
  ];
  const answers = await Promise.all(
    conflicts.map((each) => send("POST", `${path}/Batches`, encodeBatch(each))),
  );
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
});

/** The body of a request to publish a staged source. */
function members(sourceId: string, replaces: readonly string[]): object {
  const { loadTestId: _, sourceId: __, quality, ...about } = published(sourceId);
  return { ...about, ...quality, replaces };
}

test("a published source replaces others, and a published source can be withdrawn", async () => {
  await send("POST", `${path}/Batches`, batch());
  const staged = { sourceId: "file", visibility: "staged" } as const;
  await send("POST", `${path}/Batches`, encodeBatch(batchOf([sample("c", 1)], staged)));
  const publish = (replaces: readonly string[]): Promise<Sent> =>
    send("POST", `${path}/Sources/file/Publish`, members("file", replaces));
  expect(await publish(["nobody"])).toMatchObject({ status: 409 });
  expect(await publish(["sender"])).toEqual({ status: 200, body: { duplicate: false } });
  expect(await publish(["sender"])).toEqual({ status: 200, body: { duplicate: true } });
  expect(await requestsByLabel(world.store, loadTestId)).toEqual([["c", 1]]);
  const { body } = await send("GET", `${path}/Sources`);
  const { loadTestId: _, ...file } = published("file");
  expect(body).toEqual({ live: [], published: [file] });
  expect(await send("DELETE", `${path}/Sources/file`)).toEqual({ status: 204, body: undefined });
  expect(await send("DELETE", `${path}/Sources/file`)).toEqual({ status: 204, body: undefined });
  expect(await requestsByLabel(world.store, loadTestId)).toEqual([]);
});

test.each([
  ["from second 0", { extent: { from: 0, until: 5 } }],
  ["from its end", { extent: { from: 5, until: 4 } }],
  ["of a format with NUL", { format: "a\u0000" }],
])("a file %s is refused: it could not be read", async (_, wrong) => {
  const staged = { sourceId: "file", visibility: "staged" } as const;
  await send("POST", `${path}/Batches`, encodeBatch(batchOf([sample("c", 1)], staged)));
  const publish = (about: object) =>
    send("POST", `${path}/Sources/file/Publish`, { ...members("file", []), ...about });
  expect(await publish(wrong)).toMatchObject({ status: 400 });
  expect(await publish({ extent: { from: 4, until: 4 } })).toMatchObject({ status: 200 });
});

test("rows of files are counted up to 2^40 - 1, so that those of all can be added", async () => {
  const staged = { sourceId: "file", visibility: "staged" } as const;
  await send("POST", `${path}/Batches`, encodeBatch(batchOf([sample("c", 1)], staged)));
  const publish = (rows: object) =>
    send("POST", `${path}/Sources/file/Publish`, { ...members("file", []), ...rows });
  const most = 2 ** 40;
  const refused = await Promise.all([
    publish({ rejectedRows: most }),
    publish({ repairedRows: { "size-unknown": most } }),
    publish({ ignored: [{ name: "x", values: most }] }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect(await publish({ rejectedRows: most - 1 })).toMatchObject({ status: 200 });
});

test("a live source cannot be published", async () => {
  await send("POST", `${path}/Batches`, batch());
  const sent = await send("POST", `${path}/Sources/sender/Publish`, members("sender", []));
  expect(sent.status).toBe(409);
});

test.each(["POST Batches", "GET Sources", "POST Sources/x/Publish", "DELETE Sources/x"])(
  "%s needs a key with the write scope",
  async (operation) => {
    const [method = "", rest] = operation.split(" ");
    const wanted = { "x-service-auth": world.key };
    const sent = await send(method as "GET", `${path}/${rest}`, undefined, wanted);
    expect(sent.status).toBe(403);
  },
);
