import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterXml } from "../jmeter/jmeter-xml.ts";
import { XmlPlainTag } from "./xml-plain-tag.ts";

interface Read {
  readonly rest: string;
  readonly isEmpty: boolean;
  readonly attributes: readonly (readonly [name: string, value: string, hasReference: boolean])[];
}

const tag = new XmlPlainTag((name) => name);

function read(text: string): Read | undefined {
  const bytes = Buffer.from(`${text}${"\n".repeat(16)}`);
  const next = tag.read(bytes, 0);
  if (next === undefined) return undefined;
  const attributes = Array.from({ length: tag.attributes }, (_, index) => {
    const value = bytes.toString("utf8", tag.valueFrom[index], tag.valueTo[index]);
    return [tag.meaning(index), value, tag.hasReference[index] === 1] as const;
  });
  return { rest: bytes.toString("utf8", next).trimEnd(), isEmpty: tag.isEmpty, attributes };
}

test.each<[text: string, wanted: Read]>([
  ["<a>b", { rest: "b", isEmpty: false, attributes: [] }],
  ["<a/><b>", { rest: "<b>", isEmpty: true, attributes: [] }],
  ['<a t="1">', { rest: "", isEmpty: false, attributes: [["t", "1", false]] }],
  [
    `<a t="" lb="x > 'y' &amp; z/" sby="é"/>`,
    {
      rest: "",
      isEmpty: true,
      attributes: [
        ["t", "", false],
        ["lb", "x > 'y' &amp; z/", true],
        ["sby", "é", false],
      ],
    },
  ],
  // It begins with the same bytes as the previous tag.
  [
    '<a t="1" lbx="2" responseCode="3">',
    {
      rest: "",
      isEmpty: false,
      attributes: [
        ["t", "1", false],
        ["lbx", "2", false],
        ["responseCode", "3", false],
      ],
    },
  ],
])("%s is plain", (text, wanted) => {
  expect(read(text)).toEqual(wanted);
  expect(read(text)).toEqual(wanted);
});

test.each([
  "<a",
  "<a ",
  "<a t",
  '<a t="1',
  '<a t="1"',
  '<a  t="1">',
  '<a t ="1">',
  "<a t='1'>",
  '<a t="1"lb="2">',
  '<a t="1" >',
  '<a t="1\n2">',
  '<a t="1\t2">',
  '<a t="1 < 2">',
  '<a\nt="1">',
  "<a / >",
  `<a${' t="1"'.repeat(65)}>`,
])("%j is not plain", (text) => {
  expect(read(text)).toBeUndefined();
});

const value = fc.oneof(
  fc.stringMatching(/^[0-9]{1,13}$/),
  fc.constantFrom("true", "false", "home", "a&amp;b", "a&#10;b", "&quot;", "&x;", "é", ""),
);
const attribute = fc.tuple(
  fc.constantFrom("t", "ts", "lb", "s", "by", "rc", "rm", "na", "hn", "sc", "ec", "dt", "other"),
  value,
  fc.constantFrom(' n="v"', ' n="v"', " n='v'", '  n = "v"'),
);
const element = fc
  .tuple(
    fc.constantFrom("httpSample", "sample", "own", "java.net.URL", "assertionResult"),
    fc.array(attribute, { maxLength: 8 }),
    fc.constantFrom("", "text", "<failureMessage>no</failureMessage>", "<a><b/></a>", "<a>b</a>"),
  )
  .map(([name, attributes, inside]) => {
    const written = attributes.map(([key, text, form]) =>
      form.replace("n", key).replace("v", () => text),
    );
    const known = ' t="12" ts="1795232610052"';
    return `<${name}${known}${written.join("")}>${inside}</${name}>`;
  });

test("samples are read from plain tags as from tags split across chunks", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 12 }), (elements) => {
      const source = `<testResults version="1.2">\n${elements.join("\n")}\n</testResults>\n`;
      expect(decodeSource(jmeterXml, source)).toEqual(decodeSource(jmeterXml, source, [1]));
    }),
    { numRuns: 150 },
  );
});
