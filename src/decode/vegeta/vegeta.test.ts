import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { csvOf, gobOf, jsonOf, type VegetaRecord } from "../../../test/support/vegeta-results.ts";
import { vegetaCsv, vegetaJson } from "./vegeta-text.ts";
import { vegetaGob } from "./vegeta-gob.ts";

const ENCODINGS = [
  { format: vegetaGob, encode: gobOf },
  { format: vegetaCsv, encode: (records: readonly VegetaRecord[]) => Buffer.from(csvOf(records)) },
  {
    format: vegetaJson,
    encode: (records: readonly VegetaRecord[]) => Buffer.from(jsonOf(records)),
  },
];

const RECORD: VegetaRecord = {
  attack: "shop",
  seq: 7,
  code: 200,
  startedAtMs: 1_795_232_610_999,
  latencyNanos: 12_345_499,
  bytesIn: 512,
  error: "",
  body: "<html>",
  method: "GET",
  url: "https://shop.example/cart?id=1",
  headers: { "Content-Type": ["text/html"], Vary: ["Accept", "Origin"] },
};

describe.each(ENCODINGS)("$format.name", ({ format, encode }) => {
  test("a result is a request in the second in which it started", () => {
    const bytes = encode([RECORD]);
    expect(format.recognises(bytes)).toBe(true);
    const { samples, ...others } = decodeSource(format, bytes);
    expect(samples).toEqual([
      {
        label: "GET https://shop.example/cart?id=1",
        second: 1_795_232_610,
        elapsedMicros: 12_345,
        receivedBytes: 512,
        requests: 1,
        failedRequests: 0,
      },
    ]);
    expect(others).toMatchObject({ failures: [], ...FAULTLESS });
  });

  test.each([
    [0, 0],
    [499, 0],
    [500, 1],
    [1499, 1],
    [Number.MAX_SAFE_INTEGER, 9_007_199_254_741],
  ])("a latency of %i ns is %i µs", (latencyNanos, micros) => {
    const { samples } = decodeSource(format, encode([{ ...RECORD, latencyNanos }]));
    expect(samples.map(({ elapsedMicros }) => elapsedMicros)).toEqual([micros]);
  });

  test.each([
    [200, "", 0],
    [399, "", 0],
    [400, "", 1],
    [199, "", 1],
    [0, 'dial "tcp", a\nrefused', 1],
    [200, "unexpected EOF", 1],
  ])("code %i with the error %j has failed: %i", (code, error, failed) => {
    const { samples, failures } = decodeSource(format, encode([{ ...RECORD, code, error }]));
    expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([failed]);
    const kinds = failed === 0 ? [] : [{ code: `${code}`, message: error }];
    expect(failures.map(({ kind }) => kind)).toEqual(kinds);
  });

  test.each([
    ["GET", "http://h/", "shop", "GET http://h/"],
    ["", "http://h/", "shop", "http://h/"],
    ["", "", "shop", "shop"],
    ["", "", "", "All requests"],
  ])("method %j, URL %j and attack %j give the label %j", (method, url, attack, label) => {
    const { samples } = decodeSource(format, encode([{ ...RECORD, method, url, attack }]));
    expect(samples.map((sample) => sample.label)).toEqual([label]);
  });

  test("results without method and URL are noted, unless a label is chosen", () => {
    const bytes = encode([{ ...RECORD, method: "", url: "" }]);
    expect(decodeSource(format, bytes).notes).toEqual([
      "results without method and URL (Vegeta before 12.8), labelled with the attack's name: 1",
    ]);
    const options = { timeZone: "UTC", labelTemplate: "{attack} {Code}" };
    const { samples, notes } = decodeSource(format, bytes, [], options);
    expect({ label: samples[0]?.label, notes }).toEqual({ label: "shop 200", notes: [] });
  });

  test("a label of more than 1,024 bytes is shortened", () => {
    const url = `http://h/${"x".repeat(1024)}`;
    const decoded = decodeSource(format, encode([{ ...RECORD, url }, RECORD]));
    expect([decoded.samples.length, decoded.rejections]).toEqual([2, []]);
    expect(decoded.repairs).toMatchObject([{ kind: "label-shortened", line: 1 }]);
  });

  test("a result of more than 1 MiB is rejected, and others are read", () => {
    const large = { ...RECORD, body: "x".repeat(1_200_000) };
    const bytes = encode([RECORD, large, RECORD]);
    const { samples, rejections, truncatedAt } = decodeSource(format, bytes, [70_000]);
    expect({ samples: samples.length, truncatedAt }).toEqual({
      samples: 2,
      truncatedAt: undefined,
    });
    expect(rejections).toMatchObject([{ line: 2, reason: expect.stringContaining("too long") }]);
  });
});

test("gob: a stream is complete after a result and truncated anywhere else", () => {
  const first = gobOf([RECORD]).length;
  const bytes = gobOf([RECORD, RECORD]);
  for (let end = first; end <= bytes.length; end++) {
    const { samples, truncatedAt } = decodeSource(vegetaGob, bytes.subarray(0, end));
    expect(samples.length).toBe(end === bytes.length ? 2 : 1);
    expect(truncatedAt === undefined).toBe(end === first || end === bytes.length);
    expect([undefined, first]).toContain(truncatedAt?.byte);
  }
});

test("gob: two concatenated streams are read", () => {
  const { samples } = decodeSource(vegetaGob, Buffer.concat([gobOf([RECORD]), gobOf([RECORD])]));
  expect(samples.length).toBe(2);
});

test("gob: arbitrary bytes throw nothing, and every record is accounted for", () => {
  const bytes = gobOf([RECORD, { ...RECORD, error: "no" }, RECORD]);
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
      const damaged = Buffer.from(bytes);
      for (const [at, byte] of changes) damaged[at] = byte;
      const { samples, rejections, truncatedAt } = decodeSource(vegetaGob, damaged, [11]);
      expect(samples.length + rejections.length > 0 || truncatedAt !== undefined).toBe(true);
    }),
  );
});

/** By hand: the definition of type `64 + number`, which is a struct without a name, of nameless fields. */
function structOf(number: number, fields: number): Buffer {
  const id = [0xfe, ...numberIn(2 * (64 + number) - 1)];
  const type = [3, 1, 0, 1, 0xfe, ...numberIn(fields), ...Array<number>(fields).fill(0), 0, 0];
  return Buffer.from([0xfd, ...numberIn(id.length + type.length, 3), ...id, ...type]);
}

const numberIn = (number: number, bytes = 2): readonly number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(number / 256 ** (bytes - 1 - at)) % 256);

test.each([
  ["types", Array.from({ length: 200 }, (_, number) => structOf(40 + number, 1)), /than 100 types/],
  ["fields", [structOf(40, 100_000)], /than 100 fields/],
])("gob: definitions of many %s are not kept, and results behind them are read", (_, all, why) => {
  const first = gobOf([RECORD]);
  const bytes = Buffer.concat([first, ...all, first]);
  const { samples, rejections } = decodeSource(vegetaGob, bytes);
  expect(samples.length).toBe(2);
  expect(rejections.at(-1)?.reason).toMatch(why);
});

test("gob: text rewritten by a shell is not recognised", () => {
  const rewritten = Buffer.from(gobOf([RECORD]).toString("latin1"), "utf8");
  expect(vegetaGob.recognises(rewritten)).toBe(false);
});

test.each([
  [
    "version 6",
    '1543297408132162700,0,500,0,0,"Get http://h/?a=1,2: EOF"\n',
    "Get http://h/?a=1,2: EOF",
  ],
  ["version 7", "1543297408132162700,400,500,0,15,400 Bad Request,NDAw\n", "400 Bad Request"],
  ["version 8", '1543297408132162700,0,500,0,0,"a,""b""",,shop,3\n', 'a,"b"'],
])("csv: recognises the columns of %s", (_version, source, message) => {
  const { samples, failures, truncatedAt } = decodeSource(vegetaCsv, source);
  expect(truncatedAt).toBeUndefined();
  expect(samples).toMatchObject([{ second: 1_543_297_408, elapsedMicros: 1, failedRequests: 1 }]);
  expect(failures.map(({ kind }) => kind?.message)).toEqual([message]);
});

test("json: recognises the line of version 7, also rewritten by another program", () => {
  const line =
    '{"latency": 500, "code": 0, "timestamp": "2018-11-27T05:43:28.1+02:00", "bytes_in": 0}';
  expect(vegetaJson.recognises(Buffer.from(line))).toBe(true);
  const { samples, truncatedAt } = decodeSource(vegetaJson, line);
  expect(truncatedAt).toBeUndefined();
  expect(samples).toMatchObject([
    { label: "All requests", second: 1_543_290_208, elapsedMicros: 1, failedRequests: 1 },
  ]);
});

test.each([/,5(?=03,)/, /,503,1/, /,(?=512,)/])(
  "a comma too many at %s rejects the row",
  (place) => {
    const row = csvOf([RECORD]).replace(",200,", ",503,");
    const damaged = row.replace(place, (found) => `${found},`);
    const { rejections } = decodeSource(vegetaCsv, csvOf([RECORD]) + damaged);
    expect(rejections).toMatchObject([{ line: 2, reason: "got 13 fields, want 12" }]);
  },
);

describe("a failed result counts, whatever else of it cannot be read", () => {
  const row = csvOf([RECORD]).replace(",200,", ",503,");
  const line = jsonOf([RECORD]).replace('"code":200', '"code":503');
  test.each([
    ["time-unknown", vegetaCsv, row.replace(/,503,\d+,/, ",503,-1,")],
    ["size-unknown", vegetaCsv, row.replace(",512,", ",-1,")],
    ["fields-misplaced", vegetaCsv, `${csvOf([RECORD])}${row.replace("\n", ",x\n")}`],
    ["time-unknown", vegetaJson, line.replace('"latency":12345499', '"latency":-1')],
    ["size-unknown", vegetaJson, line.replace('"bytes_in":512', '"bytes_in":null')],
  ] as const)("%s in $1.name", (kind, format, source) => {
    const { samples, windows, rejections, repairs } = decodeSource(format, source);
    expect([...samples, ...windows].at(-1)).toMatchObject({ failedRequests: 1 });
    expect(rejections).toEqual([]);
    expect(repairs?.map((repair) => repair.kind)).toEqual([kind]);
  });
});

test("the last CSV row of a file and the first of the next, without an end of line between them, are rejected", () => {
  const row = csvOf([RECORD]);
  const { samples, rejections } = decodeSource(vegetaCsv, `${row}${row.trim()}${row}${row}`);
  expect(samples).toHaveLength(2);
  expect(rejections).toMatchObject([{ line: 2, reason: "got 23 fields, want 12" }]);
});

formatContract(vegetaGob);
formatContract(vegetaCsv, {
  wrong: [
    [
      csvOf([RECORD]).trim().replace(/^\d+/, "12"),
      'cannot read timestamp: got "12", want nanoseconds since 1970',
    ],
    ["1,2,3", "got 3 fields, want 12"],
  ],
});
formatContract(vegetaJson, { wrong: [["{", 'cannot read the line: got "{", want a JSON object']] });
