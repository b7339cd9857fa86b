import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { UserError } from "../../model/errors.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n';
const TAIL = "</testResults>\n";
const SAMPLE = '<httpSample t="1" ts="1795232610052" s="true" lb="a" by="2"/>\n';

/** Decodes elements inside `testResults`. */
function decodeElements(elements: string) {
  return decodeSource(jmeterXml, HEAD + elements + TAIL);
}

/** Returns the recorded labels, rejections, cut and notes. */
function outcomeOf(source: string | Uint8Array, sizes: readonly number[] = []) {
  const { samples, rejections, truncatedAt, notes } = decodeSource(jmeterXml, source, sizes);
  return { labels: samples.map(({ label }) => label), rejections, truncatedAt, notes };
}

const whole = { rejections: [], truncatedAt: undefined, notes: [] };

test.each([
  [
    "self-closed",
    '<httpSample t="163" it="0" lt="0" ts="1795232610052" s="true" lb="home" by="663"/>',
  ],
  [
    "with children",
    '<sample by="663" lb="home" s="true" ts="1795232610052" t="163"><a.b>x</a.b></sample>',
  ],
  [
    "in single quotes",
    "<httpSample t='163' ts='1795232610052' s='true' lb='home' by='663' ></httpSample>",
  ],
  [
    "over several lines",
    '<sample\n t = "163"\r\n\tts="1795232610052"\ns="TRUE" lb="home" by="663"\n/>',
  ],
  ["named after a class", '<x.Sampler t="163" ts="1795232610052" s="true" lb="home" by="663"/>'],
  [
    "with a > inside",
    '<sample rm="a > b" t="163" ts="1795232610052" s="true" lb="home" by="663"/>',
  ],
  [
    "with references in numbers",
    '<sample t="1&#54;3" ts="1795232610052" s="tru&#101;" lb="&#104;ome" by="663"/>',
  ],
  [
    "given an attribute twice",
    '<sample t="163" t="9" ts="1795232610052" s="true" lb="home" lb="x" by="663"/>',
  ],
  [
    "with its fields in elements",
    "<x.y.Sub><saveConfig><label>true</label></saveConfig><label>home</label><timeStamp>0</timeStamp><startTime>1795232610052</startTime><elapsedTime>163</elapsedTime><success>true</success><bytes>663</bytes></x.y.Sub>",
  ],
])("a sample %s is read", (_how, element) => {
  expect(decodeElements(`${element}\n`)).toMatchObject({
    samples: [
      {
        label: "home",
        second: 1_795_232_610,
        elapsedMicros: 163_000,
        receivedBytes: 663,
        requests: 1,
        failedRequests: 0,
      },
    ],
    ...whole,
  });
});

test.each([
  ["", ""],
  ["&lt;script&gt; &amp; &quot;x&quot;", '<script> & "x"'],
  ["two&#xa;lines", "two\nlines"],
  ["two\nlines", "two lines"],
  ["商品 🛒", "商品 🛒"],
  ["&#x1f6d2;", "🛒"],
  ["__proto__", "__proto__"],
  ["a=b/c'd>", "a=b/c'd>"],
])("the label %j is read as %j", (written, label) => {
  expect(outcomeOf(`${HEAD}${SAMPLE.replace('"a"', `"${written}"`)}${TAIL}`)).toEqual({
    labels: [label],
    ...whole,
  });
});

test("every sample counts, at any depth, and nothing else does", () => {
  const elements = `
<sample t="5" ts="1795232610052" s="true" lb="transaction" by="9">
  <assertionResult><name>t="1" ts="2"</name><failure>false</failure></assertionResult>
  <httpSample t="3" ts="1795232610052" s="true" lb="page" by="7">
    <httpSample t="1" ts="1795232610052" s="false" lb="page-0" by="3"/>
    <!-- <httpSample t="9" ts="1795232610052" s="true" lb="comment" by="9"/> -->
    <responseData class="java.lang.String">&lt;httpSample t="9" lb="text"/&gt;</responseData>
    <samplerData><![CDATA[<httpSample t="9" ts="1" lb="literal"/> ]] > ]]></samplerData>
    <java.net.URL>http://shop.example/?a=1&amp;b=<?instruction <sample t="9" lb="x"> ?></java.net.URL>
  </httpSample>
  <com.example.Other>no sample</com.example.Other>
</sample>
`;
  expect(outcomeOf(HEAD + elements + TAIL)).toEqual({
    labels: ["transaction", "page", "page-0"],
    ...whole,
  });
});

test("samples written as elements can contain samples of either kind", () => {
  const elements = `<x.Outer><subResults><x.Inner>${fieldsOf("in<![CDATA[n&er]]>")}</x.Inner>${SAMPLE}</subResults>${fieldsOf("out&amp;er")}</x.Outer>`;
  expect(outcomeOf(HEAD + elements + TAIL)).toEqual({
    labels: ["inn&er", "a", "out&er"],
    ...whole,
  });
});

test("a sample stands for sc requests, of which ec failed", () => {
  const element = '<sample t="700" ts="1795232610052" s="false" lb="a" by="50" sc="10" ec="3"/>';
  expect(decodeElements(element).samples).toMatchObject([
    { elapsedMicros: 700_000, receivedBytes: 50, requests: 10, failedRequests: 3 },
  ]);
});

test.each([
  ['<sample ts="1795232610052" s="true" lb="b" by="2"/>', "there is no t"],
  ['<sample t=1 ts="1795232610052" s="true" lb="b" by="2"/>', "there is no t"],
  ['<sample t="1" ts="x" s="true" lb="b" by="2"/>', 'cannot read ts: got "x"'],
  ['<sample t="1" ts="1795232610052" s="?" lb="b" by="2"/>', 'cannot read s: got "?"'],
  [
    `<sample t="1" ts="1795232610052" lb="b" rm="${"x".repeat(RECORD_BYTES_MAX)}"/>`,
    "the tag is too long",
  ],
  [
    `<sample t="1" ts="1795232610052" lb="b" rm="${"x".repeat(RECORD_BYTES_MAX)}"></sample>`,
    "the tag is too long",
  ],
  ['<sample t="1" ts="1795232610052" lb="half ', "another tag or NUL bytes begin inside this one"],
  ['<http" lb="half ', "another tag or NUL bytes begin inside this one"],
  ['="1" ts="1795232610052" s="false" lb="b"/>', "text in place of a sample"],
  ["\0".repeat(99), "text in place of a sample"],
  ['< httpSample t="1" s="false" lb="b"/>', "text in place of a sample"],
  ["<x.Y><label>b</label></x.Y>", "there is no elapsedTime"],
  [
    "<x.Y><label>b</label><elapsedTime>1.x</elapsedTime></x.Y>",
    'cannot read elapsedTime: got "1.x"',
  ],
  ['<sampleResult time="1" label="b"/>', 'got "sampleResult", want httpSample'],
])("%.60j is rejected with its position and reason", (element, reason) => {
  const source = `${HEAD}${SAMPLE}  ${element}${SAMPLE}${TAIL}`;
  for (const sizes of [[], [100_000], element.length < 1000 ? [1] : []]) {
    const { labels, rejections, truncatedAt } = outcomeOf(source, sizes);
    expect(labels).toEqual(["a", "a"]);
    expect(rejections).toEqual([
      { line: 4, byte: HEAD.length + SAMPLE.length + 2, reason: expect.stringContaining(reason) },
    ]);
    expect(truncatedAt).toBeUndefined();
  }
});

test("a hole of NUL bytes from one sample to the next is no sample of both", () => {
  const begin = '<sample t="1" ts="1795232610052" s="fal';
  const hole = `${begin}${"\0".repeat(99)}se" lb="b" by="2"/>`;
  for (const sizes of [[], [1], [7]]) {
    const { labels, rejections } = outcomeOf(`${HEAD}${SAMPLE}${hole}${SAMPLE}${TAIL}`, sizes);
    expect(labels).toEqual(["a", "a"]);
    expect(rejections).toMatchObject([
      { reason: "another tag or NUL bytes begin inside this one" },
      { reason: expect.stringContaining("text in place of a sample") },
    ]);
  }
});

test.each([
  [
    '<sample t="-1" ts="1795232610052" s="false" lb="b" by="2"/>',
    "time-unknown",
    'cannot read t: got "-1", want a whole number of milliseconds',
  ],
  [
    '<sample t="1" ts="1795232610052" s="false" lb="b" by="-2"/>',
    "size-unknown",
    'cannot read by: got "-2"',
  ],
  [
    `<sample t="1" ts="1795232610052" s="false" lb="b${"商".repeat(342)}" by="2"/>`,
    "label-shortened",
    "the label is too long",
  ],
  [
    "<x.Y><label>b</label><elapsedTime>1.x</elapsedTime><success>false</success></x.Y>",
    "time-unknown",
    'cannot read elapsedTime: got "1.x"',
  ],
])("%.60j counts with its outcome", (element, kind, reason) => {
  const { samples, windows, rejections, repairs } = decodeElements(element);
  expect([...samples, ...windows]).toMatchObject([
    { label: expect.stringMatching(/^b/) as string, requests: 1, failedRequests: 1 },
  ]);
  expect(rejections).toEqual([]);
  expect(repairs).toEqual([
    { kind, line: 3, byte: HEAD.length, reason: expect.stringContaining(reason) as string },
  ]);
});

test("a name can be longer than the limit of a tag", () => {
  const name = "a".repeat(RECORD_BYTES_MAX);
  const source = `${HEAD}${SAMPLE}<${name}></${name}>${SAMPLE}${TAIL}`;
  expect(outcomeOf(source, [100_000]).labels).toEqual(["a", "a"]);
});

test.each([
  ["without its closing tag", "", 0, "without </testResults>"],
  [
    "inside a sample",
    '<sample t="1" ts="0" s="true" lb="a" by="2">\n',
    45,
    "without </testResults>",
  ],
  ["inside a tag", '<httpSample t="1" ts="17952', 0, "inside a tag"],
  ["behind a <", "<", 0, "inside a tag"],
  ["inside a comment", "<!-- x\n--", 0, "inside a comment"],
  ["inside a CDATA section", "<![CDATA[ x ]]", 0, "inside a CDATA section"],
  ["inside a sample in elements", "<x.Y><label>b</label>", 0, "inside <x.Y>"],
])("a source that ends %s is cut there", (_where, rest, offset, reason) => {
  const outcome = outcomeOf(HEAD + SAMPLE + rest);
  expect(outcome.labels.every((label) => label === "a")).toBe(true);
  expect(outcome.rejections).toEqual([]);
  expect(outcome.truncatedAt).toEqual({
    line: offset === 0 ? 4 : 5,
    byte: HEAD.length + SAMPLE.length + offset,
    reason: expect.stringContaining(reason),
  });
});

test("all of several concatenated documents are read; an unclosed one is noted", () => {
  const closed = HEAD + SAMPLE + TAIL;
  expect(outcomeOf(closed + closed)).toEqual({ labels: ["a", "a"], ...whole });
  expect(outcomeOf(closed + SAMPLE)).toEqual({ labels: ["a", "a"], ...whole });
  expect(outcomeOf(`${HEAD}${SAMPLE}<sample t="1" lb="hal${closed}`)).toEqual({
    labels: ["a", "a"],
    rejections: [
      {
        line: 4,
        byte: HEAD.length + SAMPLE.length,
        reason: "another tag or NUL bytes begin inside this one",
      },
    ],
    truncatedAt: undefined,
    notes: [expect.stringContaining("before it was closed: 1")],
  });
});

test("an unclosed element ends with its parent", () => {
  const elements = `<sample t="1" ts="0" s="true" lb="b" by="2"><a><b></sample></c>\n${SAMPLE}`;
  expect(outcomeOf(HEAD + elements + TAIL)).toEqual({ labels: ["b", "a"], ...whole });
  const deep = "<sample t='1' ts='0' s='true' lb='c' by='2'><a></sample>".repeat(100);
  expect(outcomeOf(HEAD + deep + TAIL).labels).toHaveLength(100);
});

test("an empty source and results without samples are complete", () => {
  for (const source of ["", " \n", HEAD + TAIL, "<testResults/>"]) {
    expect(outcomeOf(source)).toEqual({ labels: [], ...whole });
  }
});

test("labels that are not UTF-8 are noted", () => {
  const source = new TextEncoder().encode(`${HEAD}${SAMPLE}${TAIL}`);
  const damaged = source.map((byte, at) =>
    source[at - 1] === 0x22 && byte === 0x61 ? 0xe9 : byte,
  );
  expect(outcomeOf(damaged)).toMatchObject({
    labels: [String.raw`\xE9`],
    notes: [expect.stringContaining("not UTF-8")],
  });
});

test("missing attributes of samples are noted", () => {
  const { samples, notes } = decodeElements('<sample t="1" lb="a"/>');
  expect(samples).toMatchObject([{ second: 0, receivedBytes: 0, failedRequests: 0 }]);
  expect(notes).toEqual([
    expect.stringContaining("no ts"),
    expect.stringContaining("no by"),
    expect.stringContaining("no s:"),
  ]);
});

test.each([
  [
    '<?xml version="1.0"?>\n<!DOCTYPE testResults [\n<!ENTITY a "b">]>\n<testResults/>',
    "DOCTYPE is not allowed (line 2)",
  ],
  [`${HEAD}${SAMPLE}<!DOCTYPE x>${TAIL}`, "DOCTYPE is not allowed (line 4)"],
  [`${HEAD}<!ENTITY a "b">${TAIL}`, "DOCTYPE is not allowed (line 3)"],
  [`${HEAD}\n${"<a>".repeat(64)}`, "more than 64 deep (line 4)"],
  ["<html><body/></html>", "does not begin with <testResults>"],
  ["hello <testResults/>", "does not begin with <testResults>"],
])("%.80j is refused completely", (source, sentence) => {
  for (const sizes of [[], [1]]) {
    expect(() => outcomeOf(source, sizes)).toThrow(UserError);
    expect(() => outcomeOf(source, sizes)).toThrow(sentence);
  }
});

test("64 levels are read", () => {
  const nested = `${"<a>".repeat(62)}${SAMPLE}${"</a>".repeat(62)}`;
  expect(
    outcomeOf(
      `${HEAD}<sample t="1" ts="1795232610000" s="true" lb="b" by="2">${nested.replaceAll("a>", "i>").slice(3, -4)}</sample>${TAIL}`,
    ),
  ).toEqual({ labels: ["b", "a"], ...whole });
});

test.each([
  [HEAD, true],
  [`\n ${HEAD}`, true],
  ["<testResults>", true],
  ["<testResults/>", true],
  [
    `<?xml version="1.0"?><?xml-stylesheet href="x"?>\n<!-- c -->\n<testResults version="1.2">`,
    true,
  ],
  ['<!DOCTYPE testResults [<!ENTITY a "b">]><testResults>', true],
  ["", false],
  ["<", false],
  ["<?xml", false],
  ["<testResultsX>", false],
  ['<?xml version="1.0"?><FinalStatus/>', false],
  ["<!DOCTYPE html><html/>", false],
  ["timeStamp,elapsed,label\n", false],
  ["<!--<testResults>", false],
])("%j is JMeter XML: %j", (source, isJmeterXml) => {
  expect(jmeterXml.recognises(new TextEncoder().encode(source))).toBe(isJmeterXml);
});

/** Returns the elements that plug-ins write for a sample. */
function fieldsOf(label: string): string {
  return `<label>${label}</label><timeStamp>1795232610052</timeStamp><elapsedTime>1</elapsedTime><success>false</success><bytes>2</bytes>`;
}
