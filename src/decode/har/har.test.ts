import { describe, expect, test } from "vitest";
import { type Decoded, decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { har } from "./har.ts";

const REQUEST = { method: "GET", url: "https://shop.example/cart?id=1" };
const RESPONSE = {
  status: 200,
  statusText: "OK",
  headers: [],
  bodySize: 512,
  content: { size: 512 },
};
const ENTRY = {
  startedDateTime: "2026-11-21T03:52:49.828Z",
  time: 32.138999999999996,
  request: REQUEST,
  response: RESPONSE,
};
/** The fields of a response of unknown size. */
const UNSIZED = { bodySize: -1, content: { size: -1 } };
const SECOND = Date.UTC(2026, 10, 21, 3, 52, 49) / 1000;

function archive(...entries: readonly unknown[]): string {
  const creator = { name: "Playwright", version: "1.65.1" };
  return JSON.stringify({ log: { version: "1.2", creator, pages: [{ id: "p" }], entries } });
}

function decode(...entries: readonly unknown[]): Decoded {
  return decodeSource(har, archive(...entries));
}

function withResponse(response: unknown): object {
  return { ...ENTRY, response: { ...RESPONSE, ...(response as object) } };
}

test("an entry is a request", () => {
  const { samples, ...others } = decode(ENTRY);
  expect(samples).toEqual([
    {
      label: "GET https://shop.example/cart?id=1",
      second: SECOND,
      elapsedMicros: 32_139,
      receivedBytes: 512,
      requests: 1,
      failedRequests: 0,
    },
  ]);
  expect(others).toMatchObject({ failures: [], ...FAULTLESS });
});

describe("the size is the transferred body size", () => {
  const encoded = [{ name: "Content-Encoding", value: "br" }];
  test.each([
    ["as recorded", { bodySize: 100, content: { size: 100 } }, 100],
    ["with the marks of its chunks", { bodySize: 112, content: { size: 100 } }, 112],
    ["compressed", { bodySize: 40, content: { size: 100 }, headers: encoded }, 40],
    ["less headers that were never counted", { bodySize: 60, content: { size: 100 } }, 100],
    ["negative", { bodySize: -137, _transferSize: 20, content: { size: 20 } }, 20],
    ["not recorded, but what was transferred", { bodySize: -1, _transferSize: 20 }, 20],
    ["not recorded, but its content", { bodySize: -1, content: { size: 7 } }, 7],
    ["out of the cache", { bodySize: 0, _transferSize: 0, content: { size: 100 } }, 0],
  ])("%s", (_what, response, bytes) => {
    const { samples, notes } = decode(withResponse(response));
    expect(samples.map(({ receivedBytes }) => receivedBytes)).toEqual([bytes]);
    expect(notes).toEqual([]);
  });

  test("unknown for all responses", () => {
    const { samples, notes } = decode(withResponse(UNSIZED));
    expect(samples.map(({ receivedBytes }) => receivedBytes)).toEqual([0]);
    expect(notes).toEqual(["entries without a response size: all of them"]);
  });

  test("unknown for some responses", () => {
    const { notes } = decode(ENTRY, withResponse(UNSIZED));
    expect(notes).toEqual(["entries without a response size, counted as 0 bytes: 1"]);
  });
});

describe("an entry failed", () => {
  test.each([
    [{ status: 404, statusText: "Not Found" }, "404", "Not Found"],
    [{ status: 0, statusText: "", _error: "net::ERR_TIMED_OUT" }, "0", "net::ERR_TIMED_OUT"],
    [{ status: -1, _failureText: "net::ERR_ABORTED" }, "-1", "net::ERR_ABORTED"],
    [{ status: 200, _failureText: "net::ERR_ABORTED" }, "200", "net::ERR_ABORTED"],
  ])("with %j", (response, code, message) => {
    const { samples, failures } = decode(withResponse(response));
    expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([1]);
    expect(failures.map(({ kind }) => kind)).toEqual([{ code, message }]);
  });
});

test("an entry without an elapsed time is a request without a response time", () => {
  const failed = { status: 0, _error: "net::ERR_TIMED_OUT" };
  const { samples, windows, failures, repairs } = decode(
    { ...ENTRY, time: -1 },
    { ...withResponse(failed), time: -1 },
  );
  expect(samples).toEqual([]);
  expect(windows).toMatchObject([
    { second: SECOND, requests: 1, untimedRequests: 1, failedRequests: 0 },
    { second: SECOND, requests: 1, untimedRequests: 1, failedRequests: 1 },
  ]);
  expect(windows.map(({ untimedFailedRequests }) => untimedFailedRequests)).toEqual([0, 1]);
  expect(failures.map(({ requests }) => requests)).toEqual([1]);
  expect(repairs?.map(({ kind }) => kind)).toEqual(["time-unknown", "time-unknown"]);
});

// HAR 1.2 defines the time as the sum of the phases, without those that are -1; har-export-trigger #11 writes null.
test.each([null, -1])("the time %j is the sum of its phases", (time) => {
  const timings = {
    blocked: 1,
    dns: -1,
    connect: 20.5,
    ssl: 15,
    send: 0.25,
    wait: 100,
    receive: 3,
  };
  const { samples, repairs } = decode({ ...ENTRY, time, timings });
  expect(samples).toMatchObject([{ elapsedMicros: 124_750 }]);
  expect(repairs).toBeUndefined();
});

test("a name that is too long is shortened", () => {
  const request = { ...REQUEST, url: "x".repeat(1025) };
  const { samples, rejections, repairs } = decode({ ...ENTRY, request });
  expect([samples.length, rejections]).toEqual([1, []]);
  expect(repairs).toMatchObject([{ kind: "label-shortened", line: 1 }]);
});

test("a start time without a zone is read in the zone of the import", () => {
  const text = archive({ ...ENTRY, startedDateTime: "2026-11-21T03:52:49.828" });
  const { samples, notes } = decodeSource(har, text, [], { timeZone: "Asia/Kolkata" });
  expect(samples.map(({ second }) => second)).toEqual([SECOND - 5.5 * 3600]);
  expect(notes).toEqual(["startedDateTime has no zone: read as Asia/Kolkata"]);
});

describe("an invalid entry is rejected, and others are read", () => {
  test.each([
    [{ ...ENTRY, startedDateTime: "today" }, 'cannot read startedDateTime: got "today"'],
    [{ ...ENTRY, response: {} }, "neither a status nor an error text"],
    [{}, 'cannot read startedDateTime: got ""'],
    [5, 'the entry is not an object: got "5"'],
  ])("%#", (entry, reason) => {
    const { samples, rejections } = decode(entry, ENTRY);
    expect(rejections).toEqual([
      {
        line: 1,
        byte: archive().indexOf('"entries"') + 11,
        reason: expect.stringContaining(reason),
      },
    ]);
    expect(samples.length).toBe(1);
  });
});

test("labels can combine fields", () => {
  const text = archive(withResponse({ status: 404 }));
  const options = { timeZone: "UTC", labelTemplate: "{status} {Method}{pageref}" };
  expect(decodeSource(har, text, [], options).samples.map(({ label }) => label)).toEqual([
    "404 GET",
  ]);
});

test("bodies of any size are skipped", () => {
  const body = '\\"{'.repeat(1_000_000);
  const { samples, rejections } = decode(
    withResponse({ content: { size: 512, text: body } }),
    ENTRY,
  );
  expect({ samples: samples.length, rejections }).toEqual({ samples: 2, rejections: [] });
});

formatContract(har);
