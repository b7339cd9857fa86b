import { expect, test } from "vitest";
import { jmeterCsv } from "../../src/decode/jmeter/jmeter-csv.ts";
import { jmeterXml } from "../../src/decode/jmeter/jmeter-xml.ts";
import { decodeSource } from "../support/decode-source.ts";
import { readSource } from "../support/sources.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes";
const row = (elapsed: string, label = "home"): string =>
  `1795232610052,${elapsed},${label},true,663`;

interface Outcome {
  /** Milliseconds of what was recorded. */
  readonly elapsed: readonly number[];
  readonly rejected: readonly string[];
  /** Of what counts without a response time. */
  readonly untimed: readonly string[];
  readonly truncatedAt: string | undefined;
}

function outcomeOf(source: string | Uint8Array, format = jmeterCsv): Outcome {
  const { samples, rejections, repairs = [], truncatedAt } = decodeSource(format, source);
  const untimed = repairs.filter(({ kind }) => kind === "time-unknown");
  return {
    elapsed: samples.map(({ elapsedMicros }) => elapsedMicros / 1000),
    rejected: rejections.map(({ line, reason }) => `line ${line}: ${reason}`),
    untimed: untimed.map(({ line, reason }) => `line ${line}: ${reason}`),
    truncatedAt: truncatedAt?.reason,
  };
}

// Either a row is read as it was meant, or line and column of what is unknown are named: never a wrong number.
test.each<[string, string | Uint8Array, Partial<Outcome>]>([
  ["CRLF, LF and CR mixed", `${HEADER}\r\n${row("1")}\n${row("2")}\r\n`, { elapsed: [1, 2] }],
  [
    "CR alone",
    `${HEADER}\n${row("1")}\r${row("2")}\n`,
    { elapsed: [], rejected: ["line 2: got 9 fields, want 5"] },
  ],
  ["a line end within quotes", `${HEADER}\n${row("7", '"a\nb\r\nc"')}\n`, { elapsed: [7] }],
  [
    "quotes that never close",
    `${HEADER}\n${row("1")}\n${row("2", '"a')}\n${row("3")}\n`,
    { elapsed: [1], truncatedAt: "the source ends inside quotes" },
  ],
  [
    "thousands apart",
    `${HEADER}\n${row('"1,234"')}\n`,
    { elapsed: [], untimed: [complaint("1,234")] },
  ],
  [
    "thousands and decimals apart",
    `${HEADER}\n${row('"1.234,5"')}\n`,
    { elapsed: [], untimed: [complaint("1.234,5")] },
  ],
  [
    "a comma as decimal point",
    HEADER.replaceAll(",", ";") + `\n${row("1,5").replaceAll(",", ";").replace("1;5", "1,5")}\n`,
    { elapsed: [], untimed: [complaint("1,5")] },
  ],
  ["a point as decimal point", `${HEADER}\n${row("163.25")}\n`, { elapsed: [163.25] }],
  [
    "a sign",
    `${HEADER}\n${row("+5")}\n${row("-5")}\n`,
    { untimed: [complaint("+5"), complaint("-5", 3)] },
  ],
  ["an exponent", `${HEADER}\n${row("1e3")}\n`, { untimed: [complaint("1e3")] }],
  ["blanks around", `${HEADER}\n${row(" 5")}\n`, { untimed: [complaint(" 5")] }],
  [
    "digits of another script",
    `${HEADER}\n${row("٣")}\n`,
    { elapsed: [], untimed: [complaint("٣")] },
  ],
  ["no number", `${HEADER}\n${row("NaN")}\n${row("")}\n`, { elapsed: [] }],
  [
    "beyond what is exact",
    `${HEADER}\n${row("9007199254740993")}\n`,
    { elapsed: [], untimed: [complaint("9007199254740993")] },
  ],
  [
    "two files in one",
    `${HEADER}\n${row("1")}\n${HEADER}\n${row("2")}\n`,
    { elapsed: [1, 2], rejected: [] },
  ],
  [
    "two files in one with other columns",
    `${HEADER}\n${row("1")}\nelapsed,timeStamp,label,success,bytes\n2,1795232610052,home,true,663\n`,
    { elapsed: [1, 2], rejected: [] },
  ],
  ["a field too many", `${HEADER}\n${row("1")},x\n${row("2")}\n`, { elapsed: [1, 2] }],
  ["a field too few", `${HEADER}\n1795232610052,1,home,true\n${row("2")}\n`, { elapsed: [1, 2] }],
  ["10,000 fields", `${HEADER}\n${",".repeat(9999)}\n${row("2")}\n`, { elapsed: [2] }],
  ["a million fields", `${HEADER}\n${",".repeat(999_999)}\n${row("2")}\n`, { elapsed: [2] }],
  ["NUL within a number", `${HEADER}\n${row("1\0")}\n`, { elapsed: [] }],
  [
    "Latin-1",
    Buffer.from(`${HEADER}\n${row("5", "caf\u00e9")}\n`, "latin1"),
    { elapsed: [5], rejected: [] },
  ],
])("a table with %s", (_what, source, expected) => {
  expect(outcomeOf(source)).toMatchObject(expected);
});

function complaint(got: string, line = 2): string {
  return expect.stringMatching(
    `^line ${line}: cannot read elapsed: got ".*", want`.replace(
      ".*",
      got.replace(/[.+]/g, "\\$&"),
    ),
  ) as string;
}

test("a hundred thousand further columns are passed over", () => {
  const names = Array.from({ length: 100_000 }, (_, column) => `c${column}`).join(",");
  const values = ",x".repeat(100_000);
  const source = `${HEADER},${names}\n${row("1")}${values}\n`;
  expect(outcomeOf(source)).toMatchObject({ elapsed: [1], rejected: [], truncatedAt: undefined });
});

test("UTF-16 with a byte order mark is the same table, and without one it is no table", async () => {
  const text = `${HEADER}\n${row("5", "商品 😀")}\n`;
  const marked = await readSource(Buffer.from(`\uFEFF${text}`, "utf16le"));
  expect(outcomeOf(marked.text)).toEqual(outcomeOf(text));
  expect(jmeterCsv.recognises(Buffer.from(text, "utf16le"))).toBe(false);
});

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n';
const SAMPLE = '<sample t="1" ts="1795232610052" s="true" lb="a" by="2"/>\n';

test.each<[string, string, Partial<Outcome>]>([
  [
    "two documents",
    `${XML}${SAMPLE}</testResults>\n${XML}${SAMPLE}</testResults>\n`,
    { elapsed: [1, 1], truncatedAt: undefined },
  ],
  [
    "the first one not closed",
    `${XML}${SAMPLE}${XML}${SAMPLE}</testResults>\n`,
    { elapsed: [1, 1] },
  ],
  [
    "tags closed in another order",
    `${XML}<sample t="1" ts="1795232610052" s="true" lb="a"><b></sample></b></testResults>`,
    {},
  ],
  [
    "no end",
    `${XML}${SAMPLE}`,
    { elapsed: [1], truncatedAt: "the source ends without </testResults>" },
  ],
  ["an end that comes first", `${XML}</testResults>\n${SAMPLE}`, {}],
  [
    "kinds of samples mixed",
    `${XML}<httpSample t="2" ts="1795232610052" s="true" lb="h" by="1">${SAMPLE}</httpSample></testResults>`,
    { elapsed: [2, 1] },
  ],
])("a document with %s", (_what, source, expected) => {
  const outcome = outcomeOf(source, jmeterXml);
  expect(outcome).toMatchObject(expected);
  for (const elapsed of outcome.elapsed) expect([1, 2]).toContain(elapsed);
});
