import { expect, test } from "vitest";
import { endpointsText, kindName, overTime, shortKindName, stretchesOf } from "./failure-kinds.ts";

const NO_ENDPOINTS = { endpointCount: 0, endpoints: [] };

test.each([
  ["503", "Service Unavailable", "503 Service Unavailable", "503"],
  ["", "Connection reset by peer", "Connection reset by peer", "Connection reset by …"],
  ["500", "", "500", "500"],
  [
    "Non HTTP response code: java.net.SocketTimeoutException",
    "Non HTTP response message: Read timed out",
    "SocketTimeoutException: Read timed out",
    "SocketTimeoutExcepti…",
  ],
  ["200", "OK", "200 OK, but failed an assertion", "200"],
  ["201", "", "201, but failed an assertion", "201, but failed an a…"],
  ["200", "Test failed: text expected", "200 Test failed: text expected", "200"],
  ["", "UnresolvedAddressException", "UnresolvedAddressException", "UnresolvedAddressExc…"],
  ["", "", "(neither code nor message)", "(neither code nor me…"],
])("code %j and message %j are called %j, in short %j", (code, message, name, short) => {
  expect(kindName({ code, message })).toBe(name);
  expect(shortKindName(name)).toBe(short);
});

test("consecutive seconds of a kind form one range; an unknown second forms none", () => {
  const kind = { code: "503", message: "", count: 5, ...NO_ENDPOINTS };
  const series = [0, 10, 12, 16].map((second) => [second, 1] as const);
  const failures = { errCount: 5, withoutKind: 0, resolution: 2, kinds: [{ ...kind, series }] };
  expect(stretchesOf(failures, "503")).toEqual([
    [10, 14],
    [16, 18],
  ]);
  expect(stretchesOf(failures, "504")).toEqual([]);
});

test("kinds that are called the same are marked together", () => {
  const kind = { count: 2, ...NO_ENDPOINTS };
  const kinds = [
    { ...kind, code: "503", message: "", series: [[10, 1] as const, [20, 1] as const] },
    { ...kind, code: "", message: "503", series: [[10, 1] as const, [12, 1] as const] },
  ];
  const failures = { errCount: 4, withoutKind: 0, resolution: 2, kinds };
  expect(stretchesOf(failures, "503")).toEqual([
    [10, 14],
    [20, 22],
  ]);
});

test("failures over time are counted in equal parts, those of a cut window in the first", () => {
  const series = [
    [0, 7],
    [9, 1],
    [10, 2],
    [19, 3],
    [29, 4],
  ] as const;
  expect(overTime(series, { from: 10, until: 30 }, 4)).toEqual([3, 3, 0, 4]);
});

test.each([
  [["POST /cart", "GET /cart", "PUT /cart"], 18, 2, "POST /cart, GET /cart and 16 more"],
  [["POST /cart", "GET /cart"], 2, 2, "POST /cart, GET /cart"],
  [["POST /cart", "GET /cart"], 18, 0, "18 endpoints"],
  [["POST /cart"], 1, 0, "POST /cart"],
])(
  "of the endpoints %j, %d in all, the first %d are named: %s",
  (labels, endpointCount, named, text) => {
    const endpoints = labels.map((label) => ({ label, hash: "", count: 1 }));
    expect(endpointsText({ endpoints, endpointCount }, named)).toBe(text);
  },
);
