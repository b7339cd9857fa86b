import { expect, test } from "vitest";
import { decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { tsungDump } from "./tsung-dump.ts";

const HEADER =
  "#date;pid;id;http method;host;URL;HTTP status;size;duration;transaction;match;error;tag";
const ROW = "1461592516.102195;<0.136.0>;2;get;shop.example:8080;/cart;200;3566;360.747;-;;;";

function decode(...rows: readonly string[]): ReturnType<typeof decodeSource> {
  return decodeSource(tsungDump, [HEADER, ...rows, ""].join("\n"));
}

test("a row is a request that ended at its date", () => {
  expect(tsungDump.recognises(Buffer.from(`${HEADER}\n${ROW}\n`))).toBe(true);
  const { samples, ...others } = decode(ROW);
  expect(samples).toEqual([
    {
      label: "GET shop.example:8080/cart",
      second: 1_461_592_515,
      elapsedMicros: 360_747,
      receivedBytes: 3566,
      requests: 1,
      failedRequests: 0,
    },
  ]);
  expect(others).toMatchObject({ failures: [], ...FAULTLESS });
});

test("semicolons in a URL belong to the URL", () => {
  const { samples } = decode(ROW.replace("/cart", "/cart;jsessionid=1;v=2"));
  expect(samples.map(({ label }) => label)).toEqual([
    "GET shop.example:8080/cart;jsessionid=1;v=2",
  ]);
});

test.each([
  [ROW.replace(";200;", ";302;"), []],
  [ROW.replace(";200;", ";503;"), [{ code: "503", message: "" }]],
  [ROW.replace(";-;;;", ";-;;error_timeout;"), [{ code: "200", message: "error_timeout" }]],
  [
    ROW.replace(";200;3566;", ";;;").replace(";-;;;", ";-;;nxdomain;"),
    [{ code: "", message: "nxdomain" }],
  ],
])("%s fails as %j", (row, kinds) => {
  const { samples, failures } = decode(row);
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([kinds.length]);
  expect(failures.map(({ kind }) => kind)).toEqual(kinds);
});

test("a repeated header is not a row", () => {
  const { samples, rejections } = decode(ROW, HEADER, ROW);
  expect({ samples: samples.length, rejections }).toEqual({ samples: 2, rejections: [] });
});

test("labels can combine fields", () => {
  const options = { timeZone: "UTC", labelTemplate: "{host} {transaction}" };
  const { samples } = decodeSource(tsungDump, `${HEADER}\n${ROW}\n`, [], options);
  expect(samples.map(({ label }) => label)).toEqual(["shop.example:8080 -"]);
});

test.each([
  ["time-unknown", ROW.replace("360.747", "-1"), 'cannot read the duration: got "-1", want'],
  ["size-unknown", ROW.replace(";3566;", ";x;"), 'cannot read the size: got "x", want bytes'],
])("a request with %s counts", (kind, row, fault) => {
  const { samples, windows, rejections, repairs } = decode(row.replace(";200;", ";503;"));
  const [{ failedRequests } = {}] = [...samples, ...windows];
  expect([failedRequests, rejections]).toEqual([1, []]);
  expect(repairs).toMatchObject([{ kind, line: 2, reason: expect.stringContaining(fault) }]);
});

formatContract(tsungDump, {
  wrong: [
    ["1;2;3", "got 3 columns, want 13 between semicolons"],
    [ROW.replace(/^[\d.]+/, "soon"), 'cannot read the date: got "soon", want seconds since 1970'],
    [ROW.replace(";200;", ";;"), 'cannot read the status: got "", want a status, or an error'],
  ],
});
