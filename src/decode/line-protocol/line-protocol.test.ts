import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";
import type { LineProtocolOptions } from "../decoder.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

/** 2026-11-21 13:04:25.267914198 UTC. */
const NANOS = "1795266265267914198";
const SECOND = 1_795_266_265;

const decode = (
  text: string,
  { sizes = [], ...options }: LineProtocolOptions & { sizes?: readonly number[] } = {},
): Decoded => decodeSource(lineProtocol, text, sizes, { timeZone: "UTC", lineProtocol: options });

const request = (name: string, tags = "expected_response=true,method=GET"): string =>
  `http_req_duration,${tags},name=${name},status=200 url="x",value=1.5 ${NANOS}\n`;

const labelsOf = ({ samples }: Decoded): readonly (string | undefined)[] =>
  samples.map(({ label }) => label);

describe("reading points as written", () => {
  test.each([
    ["a plain tag", "home", "home"],
    ["an escaped comma, equals sign and blank", String.raw`a\,\ b\=c`, "a, b=c"],
    ["a backslash that escapes nothing", String.raw`C:\dir\x`, String.raw`C:\dir\x`],
    ["quotes", 'say\\ "x"', 'say "x"'],
    ["other alphabets", "商品\\ 🚀", "商品 🚀"],
    ["a line feed", "a\nb", "a\nb"],
    ["line feeds alone", "\n\n", "\n\n"],
    ["a line that looks like a comment", "a\n#b", "a\n#b"],
    ["two characters that stand for a line feed", String.raw`two\nlines`, String.raw`two\nlines`],
    ["the name of a metric", "a\nhttp_req_duration\\,1\\,2", "a\nhttp_req_duration,1,2"],
  ])("%s", (_, written, label) => {
    const { samples, rejections, truncatedAt } = decode(
      request("before") + request(written) + request("c"),
    );
    expect({ labels: samples.map((each) => each.label), rejections, truncatedAt }).toEqual({
      labels: ["before", label, "c"],
      rejections: [],
      truncatedAt: undefined,
    });
  });

  test("a string can contain line feeds, quotes and separators", () => {
    const string = String.raw`url="say \"x\", ` + "\n" + String.raw`value=9 \\"`;
    const line = `http_req_duration,method=GET ${string},value=2 ${NANOS}\n`;
    expect(labelsOf(decode(line))).toEqual([`say "x", \nvalue=9 \\`]);
  });

  test("comments, empty lines and surrounding blanks are not points", () => {
    const text = `# a comment\n\n  ${request("a").trim()}  \r\n\r\n   \n#${request("b")}`;
    const { rejections, truncatedAt, ...decoded } = decode(text);
    expect(labelsOf({ rejections, truncatedAt, ...decoded })).toEqual(["a"]);
    expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
  });

  test("a last line without a line end is read if it is complete", () => {
    const line = request("a");
    expect(labelsOf(decode(line.trimEnd()))).toEqual(["a"]);
    const { samples, truncatedAt } = decode(`${line}${line.slice(0, -30)}`);
    expect(samples).toHaveLength(1);
    expect(truncatedAt).toEqual({
      line: 2,
      byte: line.length,
      reason: "the source ends inside a line",
    });
  });
});

// A truncated timestamp in nanoseconds may look like milliseconds and would move a k6 request.
test.each([
  [NANOS, true],
  [NANOS.slice(0, 13), false],
  [NANOS.slice(0, 10), false],
  [NANOS.slice(0, 12), false],
])("a last point with the timestamp %s and without a line end counts: %s", (time, counts) => {
  const line = request("a");
  const last = line.trimEnd().replace(/\d+$/, time);
  expect(decode(`${line}${last}`).samples).toHaveLength(counts ? 2 : 1);
  expect(decode(last).samples).toHaveLength(counts ? 1 : 0);
  const millis = line.trimEnd().replace(/\d+$/, NANOS.slice(0, 13));
  expect(decode(`${millis}\n${millis}`).samples).toHaveLength(2);
});

describe("timestamps", () => {
  test.each([
    ["ns", NANOS],
    ["us", NANOS.slice(0, 16)],
    ["ms", NANOS.slice(0, 13)],
    ["s", NANOS.slice(0, 10)],
  ] as const)("are read in %s, with and without a given precision", (precision, time) => {
    const text = request("a").replace(NANOS, time).replace("1.5", "0");
    for (const options of [{}, { precision }]) {
      expect(decode(text, options).samples.map(({ second }) => second)).toEqual([SECOND]);
    }
    const other = precision === "ns" ? "s" : "ns";
    expect(decode(text, { precision: other }).rejections).toMatchObject([{ line: 1, byte: 0 }]);
  });

  test("a request without a timestamp is rejected", () => {
    const { rejections } = decode(request("a").replace(` ${NANOS}`, ""));
    expect(rejections).toMatchObject([
      { line: 1, reason: expect.stringContaining("time") as string },
    ]);
  });
});

describe("a broken line does not affect other lines", () => {
  const broken: readonly (readonly [what: string, line: string])[] = [
    ["no fields", "http_req_duration,name=x"],
    ["cut inside a tag", "http_req_duration,expected_response=true,name=ho"],
    ["cut inside the name of a tag", "http_req_duration,expected_response=true,na"],
    ["cut inside a string", 'http_req_duration,name=x url="htt'],
    ["cut inside a number", "http_req_duration,name=x value="],
    ["a comma too many", `http_req_duration,,name=x value=1 ${NANOS}`],
    ["a tag without a value", `http_req_duration,name value=1 ${NANOS}`],
    ["an equals sign that is not escaped", `http_req_duration,name=a=b value=1 ${NANOS}`],
    ["no measurement", `,name=a value=1 ${NANOS}`],
    ["a timestamp in words", "http_req_duration,name=a value=1 yesterday"],
    ["a duration in words", `http_req_duration,name=a value="long" ${NANOS}`],
    ["no duration", `http_req_duration,name=a other=1 ${NANOS}`],
    ["text", "Traceback (most recent call last):"],
    ["binary", "\u0000\u0001\u0002"],
  ];

  test.each(broken)("%s", (_, line) => {
    const text = `${request("a")}${line}\n${request("b")}`;
    const { samples, rejections, truncatedAt } = decode(text);
    expect(samples.map(({ label }) => label)).toEqual(["a", "b"]);
    expect(rejections).toMatchObject([{ line: 2, byte: request("a").length }]);
    expect(truncatedAt).toBeUndefined();
  });

  test("any number of broken lines at any place", () => {
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom(...broken.map(([, line]) => ({ isGood: false, text: `${line}\n` }))),
        fc.nat(99).map((name) => ({ isGood: true, text: request(`n${name}`) })),
        fc.nat(9).map((name) => ({ isGood: true, text: request(`two\nlines${name}`) })),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(lines, (given) => {
        // Without a valid line after it, the last one may count as truncated.
        const all = [...given, { isGood: true, text: request("end") }];
        const { samples, rejections } = decode(all.map(({ text }) => text).join(""));
        expect(samples).toHaveLength(all.filter(({ isGood }) => isGood).length);
        expect(rejections.map(({ line }) => line)).toEqual(
          all.flatMap(({ isGood }, index) => (isGood ? [] : [lineOf(all, index)])),
        );
      }),
      { numRuns: randomCases(100) },
    );
  });

  test("a line of over 1 MiB", () => {
    const long = `http_req_duration,name=${"x".repeat(1024 * 1024)} value=1 ${NANOS}\n`;
    const decoded = decode(request("a") + long + request("b"), { sizes: [100_000] });
    expect(labelsOf(decoded)).toEqual(["a", "b"]);
    expect(decoded.rejections).toEqual([
      {
        line: 2,
        byte: request("a").length,
        reason: `the line is too long: got ${long.length - 1} bytes, want at most 1 MiB`,
      },
    ]);
  });

  test("points of known measurements in an unclosed quote", () => {
    const open = `http_reqs,name=a url="x\n`;
    const decoded = decode(open + request("b").repeat(300) + request("c"));
    expect(labelsOf(decoded)).toEqual([...Array.from({ length: 300 }, () => "b"), "c"]);
    expect(decoded.rejections).toMatchObject([{ line: 1, reason: "it ends inside a value" }]);
  });

  test("an unclosed quote", () => {
    const open = `http_reqs,name=a url="x\n`;
    const decoded = decode(open + "custom value=1\n".repeat(300) + request("b"));
    expect(labelsOf(decoded)).toEqual(["b"]);
    expect(decoded.rejections).toMatchObject([{ line: 1, reason: "it ends inside a value" }]);
  });
});

test("many lines that end inside a value are read again only so often", () => {
  const startedAtMs = performance.now();
  const decoded = decode("m,t=\n".repeat(40_000) + request("a"));
  expect(performance.now() - startedAtMs).toBeLessThan(4000);
  expect(labelsOf(decoded)).toEqual(["a"]);
  expect(decoded.rejections).toHaveLength(40_000);
});

describe("a string that continues on other lines is text, whatever it says", () => {
  const failed = (message: string): string =>
    `tachograph label="POST /pay",elapsedMs=5000,success=false,code="200",message="${message}" ${NANOS}\n`;

  test.each([
    ["a point of k6", `found '\nhttp_req_duration,name=POST\\ /pay,status=200 value=1 ${NANOS}\n'`],
    ["a point of ours", `found '\ntachograph label=\\"b\\",elapsedMs=1,success=true ${NANOS}\n'`],
    ["many lines", `found [\n${"1,\n".repeat(500)}]`],
    ["many lines with quotes", `found [\n${String.raw`\"a\",`.concat("\n").repeat(500)}]`],
    ["an escaped line feed", 'a\\\n\\\\\n\\"\n'],
  ])("%s", (_, message) => {
    const text = `${failed("a")}${failed(message)}${failed("b")}`;
    for (const sizes of [[text.length], [1], [7, 3]]) {
      const decoded = decode(text, { sizes });
      expect(decoded.rejections).toEqual([]);
      expect(decoded.samples).toHaveLength(3);
      expect(decoded.samples[1]).toMatchObject({
        label: "POST /pay",
        elapsedMicros: 5_000_000,
        failedRequests: 1,
      });
    }
  });
});

test("the remainder of a broken value is not read as a separate point", () => {
  // If the url is a tag, the rest after the line feed reads like a point.
  const line = `http_req_duration,name=a\nb,status=200,url=c value=1 ${NANOS}\n`;
  expect(decode(line)).toMatchObject({ samples: [{ label: "a\nb" }], rejections: [] });
});

test.each([
  [`http_reqs,name=a value=1 ${NANOS}\n`, true],
  [`# made by hand\n\njmeter,transaction=,statut=all count=1 ${NANOS}`, true],
  ["cpu value=1\n", false],
  ["timeStamp,elapsed,label\n1795266265267,12,a b=c\n", false],
  ['{"t":1,"method":"POST","body":"a value=1 1795266265267914198"}\n', false],
  ["", false],
])("%j is recognised: %s", (head, isRecognised) => {
  expect(lineProtocol.recognises(new TextEncoder().encode(head))).toBe(isRecognised);
});

test("everything that a client escapes is unescaped", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc
      .array(fc.constantFrom(",", "=", " ", '"', "a", "\\", "\n", "é", "#"), { maxLength: 8 })
      .map((all) => all.join("")),
  );
  // A backslash at the end of a tag is ambiguous: clients do not escape it.
  const tag = text.filter((each) => !/\\(?:[,= ]|$)|\r/.test(each) && each !== "");
  const string = text.filter((each) => !each.includes("\r"));
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: tag, url: string, group: tag }), { maxLength: 6 }),
      (all) => {
        const written = all
          .map(
            ({ name, url, group }) =>
              `http_req_duration,group=${escapeTag(group)},name=${escapeTag(name)},status=200 ` +
              `url="${escapeString(url)}",value=1 ${NANOS}\n`,
          )
          .join("");
        const decoded = decode(written);
        expect(decoded.rejections).toEqual([]);
        expect(labelsOf(decoded)).toEqual(all.map(({ name }) => name.toWellFormed()));
      },
    ),
    { numRuns: randomCases(100) },
  );
});

function escapeTag(text: string): string {
  return text.replaceAll(/[,= ]/g, (each) => `\\${each}`);
}

function escapeString(text: string): string {
  return text.replaceAll(/["\\]/g, (each) => `\\${each}`);
}

function lineOf(all: readonly { readonly text: string }[], index: number): number {
  const before = all.slice(0, index).map(({ text }) => text);
  return before.join("").split("\n").length;
}
