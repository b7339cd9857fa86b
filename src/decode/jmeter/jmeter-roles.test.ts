import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

const START_MS = 1_795_232_610_052;
const TRANSACTION = "Number of samples in transaction : 2, number of failing samples : 0";

interface Row {
  readonly label: string;
  /** Milliseconds after the first row. */
  readonly at?: number;
  readonly elapsed?: number;
  readonly message?: string;
  readonly type?: string;
  readonly thread?: string;
}

const COLUMNS = "timeStamp,elapsed,label,responseMessage,threadName,dataType,success";

function csvOf(rows: readonly Row[], columns = COLUMNS): string {
  const lines = rows.map((row) => {
    const { label, at = 0, elapsed = 10, message = "OK", type = "text", thread = "1-1" } = row;
    const values: Record<string, string> = {
      timeStamp: String(START_MS + at),
      elapsed: String(elapsed),
      label: /[",]/.test(label) ? `"${label}"` : label,
      responseMessage: message.includes(",") ? `"${message}"` : message,
      threadName: thread,
      dataType: type,
      success: "true",
    };
    return columns.split(",").map((column) => values[column]);
  });
  return [columns, ...lines.map((values) => values.join(","))].join("\n") + "\n";
}

function rolesOf(rows: readonly Row[], columns?: string) {
  return decodeSource(jmeterCsv, csvOf(rows, columns)).roles;
}

const transaction = (label: string, at = 0, elapsed = 10): Row => ({
  label,
  at,
  elapsed,
  message: TRANSACTION,
  type: "",
});
const bare = (label: string, at: number, elapsed: number): Row => ({
  label,
  at,
  elapsed,
  message: "",
  type: "",
});
const page = (at = 0, elapsed = 100, thread?: string): Row =>
  thread === undefined ? { label: "Page", at, elapsed } : { label: "Page", at, elapsed, thread };

describe("transactions in CSV", () => {
  test("are recognised by the message of their rows", () => {
    const rows = [{ label: "a" }, { label: "b" }, transaction("Buy"), transaction("Cart, pay")];
    const expected = { a: "request", b: "request", Buy: "transaction", "Cart, pay": "transaction" };
    expect(rolesOf(rows)).toEqual(expected);
  });

  test("requests with the same label take precedence, in any order", () => {
    const rows = [{ label: "a" }, transaction("a"), transaction("b"), { label: "b" }];
    expect(rolesOf(rows)).toEqual({ a: "request", b: "request" });
  });

  test("an interrupted transaction joins the others of its label, in any order", () => {
    const broken = bare("Buy", 0, 10);
    expect(rolesOf([transaction("Buy"), broken])).toEqual({ Buy: "transaction" });
    expect(rolesOf([broken, transaction("Buy")])).toEqual({ Buy: "transaction" });
    expect(rolesOf([broken])).toEqual({ Buy: "unclear" });
    // An HTTP/2 response has no message, but it has a type.
    const answer = { label: "Buy", message: "" };
    expect(rolesOf([broken, answer, transaction("Buy")])).toEqual({ Buy: "request" });
  });

  test("are recognised unquoted with another delimiter", () => {
    const csv = csvOf([{ label: "a" }]).replaceAll(",", ";");
    const row = `${START_MS};10;Buy;${TRANSACTION};1-1;;true\n`;
    expect(decodeSource(jmeterCsv, csv + row).roles).toEqual({ a: "request", Buy: "transaction" });
  });

  test("are not recognised without messages", () => {
    const columns = "timeStamp,elapsed,label,success";
    expect(rolesOf([transaction("Buy")], columns)).toEqual({ Buy: "request" });
  });
});

describe("sub-results in CSV", () => {
  test.each<[string, Row[], Record<string, string>]>([
    [
      "hops of a redirect",
      [page(), { label: "Page-0", elapsed: 40 }, { label: "Page-1", at: 40, elapsed: 60 }],
      { "Page-0": "subresult", "Page-1": "subresult" },
    ],
    [
      "hops within hops",
      [page(), { label: "Page-0", elapsed: 40 }, { label: "Page-0-1", at: 10, elapsed: 20 }],
      { "Page-0": "subresult", "Page-0-1": "subresult" },
    ],
    [
      "a row of another thread in between, and a clear one later",
      [
        page(),
        { label: "Other", thread: "1-2" },
        { label: "Page-0", elapsed: 40 },
        page(200),
        { label: "Page-0", at: 200, elapsed: 40 },
      ],
      { Other: "request", "Page-0": "subresult" },
    ],
    [
      "the same request of another thread in between",
      [page(), page(300, 50, "1-2"), { label: "Page-0", at: 10, elapsed: 40 }],
      { "Page-0": "unclear" },
    ],
    [
      "the next request of the same thread",
      [page(), { label: "Page-0", at: 100, elapsed: 40 }],
      { "Page-0": "request" },
    ],
    [
      "one that took no time at the very end, which could be either",
      [page(), { label: "Page-0", at: 100, elapsed: 0 }],
      { "Page-0": "unclear" },
    ],
    [
      "hops without a message and a data type, as over HTTP/2",
      [page(), bare("Page-0", 0, 40), { label: "Page-1", at: 40, elapsed: 60 }],
      { "Page-0": "subresult", "Page-1": "subresult" },
    ],
    [
      "a hop without a message and a data type that another request of the label is not behind",
      [
        bare("Page-0", 0, 40),
        page(200),
        bare("Page-0", 200, 40),
        page(400),
        bare("Page-0", 500, 1),
      ],
      { "Page-0": "subresult" },
    ],
    [
      "the next request of the thread, without a message and a data type",
      [page(), bare("Page-0", 100, 40)],
      { "Page-0": "unclear" },
    ],
    [
      "a label like it without the request",
      [{ label: "step-1" }, { label: "step-2", at: 1, elapsed: 2 }],
      { "step-1": "request", "step-2": "request" },
    ],
    [
      "children of a transaction, in front of it",
      [{ label: "HP-0" }, { label: "HP-1", at: 20 }, transaction("HP", 0, 40)],
      { "HP-0": "request", "HP-1": "request", HP: "transaction" },
    ],
    [
      "children of a transaction, behind it",
      [transaction("HP", 0, 40), { label: "HP-0" }, { label: "HP-1", at: 20 }],
      { HP: "transaction", "HP-0": "unclear", "HP-1": "unclear" },
    ],
    [
      "labels in quotes",
      [
        { label: "a, b", elapsed: 100 },
        { label: "a, b-0", elapsed: 40 },
        { label: "a, b-1", at: 40, elapsed: 60 },
      ],
      { "a, b": "request", "a, b-0": "subresult", "a, b-1": "subresult" },
    ],
  ])("%s", (_, rows, expected) => {
    const roles = rolesOf(rows);
    expect(roles).toEqual({
      ...(roles?.["Page"] === undefined ? {} : { Page: "request" }),
      ...expected,
    });
  });

  test("a label that never follows its request becomes a request", () => {
    const rows = Array.from({ length: 101 }, (_, index) => [
      page(1000 * index),
      { label: "Other", at: 1000 * index, thread: "1-2" },
      { label: "Page-0", at: 1000 * index, elapsed: 40 },
    ]);
    expect(rolesOf(rows.slice(0, 100).flat())).toMatchObject({ "Page-0": "unclear" });
    expect(rolesOf(rows.flat())).toMatchObject({ "Page-0": "request" });
  });

  const hops = [page(), { label: "Page-0", elapsed: 40 }];

  test.each(["timeStamp", "threadName"])("are not recognised without %s", (missing) => {
    const columns = COLUMNS.split(",").filter((column) => column !== missing);
    const { roles } = decodeSource(jmeterCsv, csvOf(hops, columns.join(",")));
    expect(["request", "unclear"]).toContain(roles?.["Page-0"]);
  });

  test("are not recognised without milliseconds", () => {
    const csv = csvOf(hops).replaceAll(String(START_MS), "2026/11/21 03:43:30");
    expect(decodeSource(jmeterCsv, csv).roles?.["Page-0"]).toBe("unclear");
  });

  test("are recognised with a label template", () => {
    const options = { timeZone: "UTC", labelTemplate: "{threadName} {label}" };
    const { roles } = decodeSource(jmeterCsv, csvOf(hops), [], options);
    expect(roles).toEqual({ "1-1 Page": "request", "1-1 Page-0": "subresult" });
  });
});

const nowhere = () => undefined;
const NO_SINK = {
  record: nowhere,
  recordWindow: nowhere,
  recordFailure: nowhere,
  recordActiveUsers: nowhere,
  recordUserChanges: nowhere,
  confirmSizes: () => undefined,
  recordPercentiles: () => undefined,
  repair: () => undefined,
  measures: new MeasureAccumulator(),
  reject: nowhere,
};

test("roles do not depend on the chunk size and on flushes", () => {
  const rows = [
    page(),
    { label: "Page-0", elapsed: 40 },
    { label: "a, b", at: 200, elapsed: 50 },
    { label: "a, b-0", at: 200, elapsed: 40 },
    page(300, 50, "1-2"),
    { label: "Page-1", at: 300, elapsed: 50, thread: "1-2" },
    transaction("Buy", 0, 400),
    { label: "Page-2", at: 400, elapsed: 1 },
    ...Array.from({ length: 101 }, () => bare("Ping-1", 400, 1)),
    bare("Page-4", 420, 1),
    page(450, 40),
    bare("Page-4", 450, 40),
    page(500, 40),
    bare("Ping-1", 500, 10),
    bare("Page-4", 500, 40),
    page(500, 50, "a thread with a long name"),
    { label: "Page-3", at: 500, elapsed: 50, thread: "a thread with a long name" },
  ];
  const csv = csvOf(rows);
  const whole = decodeSource(jmeterCsv, csv).roles;
  expect(whole).toMatchObject({ "Page-0": "subresult", "a, b-0": "subresult" });
  expect(whole).toMatchObject({ "Page-1": "subresult", "Page-3": "subresult" });
  expect(whole).toMatchObject({ "Page-4": "subresult", "Ping-1": "unclear" });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sizes) => {
      expect(decodeSource(jmeterCsv, csv, sizes).roles).toEqual(whole);
    }),
  );
  for (const size of [1, 7, 60, 90, 200]) {
    const decoder = jmeterCsv.open(NO_SINK, { timeZone: "UTC" });
    for (let at = 0; at < csv.length; at += size) {
      decoder.push(Buffer.from(csv.slice(at, at + size)));
      decoder.flush();
    }
    decoder.end();
    const roles = decoder.labels.map((label, index) => [label, decoder.roleOf?.(index)]);
    expect(Object.fromEntries(roles)).toEqual(whole);
  }
});
