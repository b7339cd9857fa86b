import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;

const decode = (...lines: readonly string[]): Decoded =>
  decodeSource(lineProtocol, lines.map((line) => `${line}\n`).join(""));

const line = (role: string): string =>
  `tachograph${role} label="a",elapsedMs=1,success=t ${SECOND}000`;

const reasons = ({ rejections }: Decoded): readonly string[] =>
  rejections.map(({ reason }) => reason);

test("a point is a request with all that our integrations know of it", () => {
  const { samples, failures, users, roles, rejections } = decode(
    "# 0b5e-000000001",
    String.raw`tachograph,role=request,generator=host-1 label="say \"a, b\" \\",elapsedMs=12.34,success=true,receivedBytes=500i,users=3i ${SECOND}999`,
    `tachograph,role=subresult label="a\nb",elapsedMs=1001,success=false,receivedBytes=0i,users=4i,code="503",message="too busy" ${SECOND}000`,
    `tachograph,role=transaction label="t",elapsedMs=1,success=true ${SECOND}000000`,
  );
  expect(rejections).toEqual([]);
  expect(samples).toEqual([
    {
      label: String.raw`say "a, b" ` + "\\",
      second: SECOND,
      elapsedMicros: 12_340,
      receivedBytes: 500,
      requests: 1,
      failedRequests: 0,
    },
    {
      label: "a\nb",
      second: SECOND,
      elapsedMicros: 1_001_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 1,
    },
    {
      label: "t",
      second: SECOND,
      elapsedMicros: 1000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 0,
    },
  ]);
  expect(failures).toEqual([
    { label: "a\nb", second: SECOND, kind: { code: "503", message: "too busy" }, requests: 1 },
  ]);
  // 0.999 s and 12.34 ms are in the next second, 1,001 ms as well.
  expect(users).toEqual([
    { generator: "host-1", second: SECOND + 1, active: 3 },
    { generator: "", second: SECOND + 1, active: 4 },
  ]);
  expect(roles).toEqual({
    [String.raw`say "a, b" ` + "\\"]: "request",
    "a\nb": "subresult",
    t: "transaction",
  });
});

test("phases, sent bytes and codes are measures of the endpoint and, but for transactions, of the load test", () => {
  const { measured } = decode(
    `tachograph label="a",elapsedMs=9,success=t,latencyMs=7,connectMs=0,idleMs=2,sentBytes=118i,code="201" ${SECOND}250`,
    `tachograph label="a",elapsedMs=9,success=t,latencyMs=1.5,code="200" ${SECOND}250`,
    `tachograph,role=transaction label="b",elapsedMs=9,success=t,latencyMs=3,code="201" ${SECOND}250`,
  );
  const rows = measured?.all.map(({ label, name, tags, count, sum }) => {
    return [label ?? "", name, tags["code"] ?? "", count, sum] as const;
  });
  expect(rows?.toSorted()).toEqual([
    ["", "connect", "", 1, 0],
    ["", "idle", "", 1, 2],
    ["", "latency", "", 2, 8.5],
    ["", "sent", "", 1, 118],
    ["a", "connect", "", 1, 0],
    ["a", "idle", "", 1, 2],
    ["a", "latency", "", 2, 8.5],
    ["a", "responses", "201", 1, 1],
    ["a", "sent", "", 1, 118],
    ["b", "latency", "", 1, 3],
  ]);
});

test("line ends in texts are escaped", () => {
  const text = String.raw`a\\b\n\"\r\\n`;
  const { failures } = decode(
    `tachograph label="a",elapsedMs=9,success=f,message="${text}" ${SECOND}250`,
  );
  expect(failures.map(({ kind }) => kind?.message)).toEqual(['a\\b\n"\r\\n']);
});

test("a label with several roles has the strongest", () => {
  expect(decode(line(",role=unclear"), line(",role=subresult")).roles).toEqual({ a: "subresult" });
  expect(decode(line(",role=subresult"), line("")).roles).toEqual({ a: "request" });
});

test("a point whose outcome, role or time cannot be read is rejected with the reason", () => {
  const rest = "success=true";
  expect(
    reasons(
      decode(
        `tachograph label="a",elapsedMs=1 ${SECOND}000`,
        `tachograph label="a",elapsedMs=1,success=maybe ${SECOND}000`,
        `tachograph,role=boss label="a",elapsedMs=1,${rest} ${SECOND}000`,
        `tachograph label="a",elapsedMs=1,${rest} 17`,
      ),
    ),
  ).toEqual([
    "cannot read success: got nothing, want true or false",
    'cannot read success: got "maybe", want true or false',
    'cannot read role: got "boss", want one of unclear, transaction, subresult, request',
    'cannot read the time: got "17", want UNIX time, from 1970 to 2106',
  ]);
});

test("a request is counted without what of it cannot be read", () => {
  const rest = "success=false";
  const at = `${SECOND}000`;
  const long = "x".repeat(1100);
  const { samples, windows, users, repairs, rejections } = decode(
    `tachograph label="a",${rest} ${at}`,
    `tachograph label="a",elapsedMs=-1,${rest} ${at}`,
    `tachograph label="a",elapsedMs=1,${rest},receivedBytes=1.5 ${at}`,
    `tachograph label="a",elapsedMs=1,${rest},users="x" ${at}`,
    `tachograph label="a",elapsedMs=1,${rest},latencyMs=-3 ${at}`,
    `tachograph label="${long}1",elapsedMs=1,${rest} ${at}`,
    `tachograph label="${long}2",elapsedMs=1,${rest} ${at}`,
  );
  expect(rejections).toEqual([]);
  expect(users).toEqual([]);
  expect(
    windows.map(({ untimedRequests, untimedFailedRequests }) => [
      untimedRequests,
      untimedFailedRequests,
    ]),
  ).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([1, 1, 1, 1, 1]);
  expect(new Set(samples.map(({ label }) => label)).size).toBe(3);
  expect(repairs?.map(({ kind, reason }) => [kind, reason])).toEqual([
    ["time-unknown", "cannot read elapsedMs: got nothing, want milliseconds"],
    ["time-unknown", 'cannot read elapsedMs: got "-1", want milliseconds'],
    ["size-unknown", 'cannot read receivedBytes: got "1.5", want bytes'],
    ["fields-misplaced", 'cannot read users: got "x", want a whole number'],
    ["fields-misplaced", 'cannot read latencyMs: got "-3", want milliseconds'],
    ["label-shortened", "the label is too long: want at most 1024 bytes"],
    ["label-shortened", "the label is too long: want at most 1024 bytes"],
  ]);
});

test("other points named tachograph are none of ours", () => {
  const { samples, notes } = decode(`tachograph value=1 ${SECOND}000`);
  expect(samples).toEqual([]);
  expect(notes.join()).toContain('"tachograph" (1)');
});
