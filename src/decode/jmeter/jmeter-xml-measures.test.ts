import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";
import { recording } from "../../../test/support/recording.ts";

const RECORDINGS = [
  "gen-jmeter-5.6.3-default.jtl.gz",
  "gen-jmeter-5.6.3-responsedata-headers-vars.jtl.gz",
  "gen-jmeter-5.6.3-killed.jtl.gz",
];
const read = (file: string): string => recording(`jmeter-xml/${file}`).toString();

/** JMeter's columns by the attributes that hold the same. */
const COLUMNS: Readonly<Record<string, string>> = {
  timeStamp: "ts",
  elapsed: "t",
  label: "lb",
  responseCode: "rc",
  responseMessage: "rm",
  threadName: "tn",
  dataType: "dt",
  success: "s",
  bytes: "by",
  sentBytes: "sby",
  Latency: "lt",
  IdleTime: "it",
  Connect: "ct",
};
const REFERENCES: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&apos;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&#xa;": "\n",
};

const unescaped = (text: string) => text.replaceAll(/&[^;]*;/g, (name) => REFERENCES[name] ?? name);

/** Attributes of all samples, in the order in which JMeter writes rows: parents first. */
function samplesIn(xml: string): Readonly<Record<string, string>>[] {
  return [...xml.matchAll(/<(?:httpSample|sample) ([^>]*)>/g)].map(([, attributes = ""]) => {
    const pairs = [...attributes.matchAll(/([\w.]+)="([^"]*)"/g)];
    return Object.fromEntries(pairs.map(([, name, value = ""]) => [name, unescaped(value)]));
  });
}

/** The CSV that JMeter would have written of the same run. */
function csvOf(xml: string): string {
  const rows = samplesIn(xml).map((sample) => {
    const fields = Object.values(COLUMNS).map((attribute) => sample[attribute] ?? "");
    return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join();
  });
  return [Object.keys(COLUMNS).join(), ...rows, ""].join("\n");
}

test.each(RECORDINGS)("XML and CSV of one run have the same measures: %s", (file) => {
  const xml = read(file);
  const inXml = decodeSource(jmeterXml, xml);
  const inCsv = decodeSource(jmeterCsv, csvOf(xml));
  expect(inXml.samples).toHaveLength(inCsv.samples.length);
  expect(inXml.measured).toEqual(inCsv.measured);
  expect(inXml.measured?.all.length).toBeGreaterThan(10);
});

test.each(RECORDINGS)("sums of endpoints are those of the attributes: %s", (file) => {
  const xml = read(file);
  const want: Record<string, number> = {};
  const attributes = { latency: "lt", connect: "ct", idle: "it", sent: "sby" };
  for (const [name, attribute] of Object.entries(attributes)) {
    for (const sample of samplesIn(xml)) {
      const key = `${name} of ${sample["lb"]}`;
      want[key] = (want[key] ?? 0) + Number(sample[attribute]);
    }
  }
  const { measured } = decodeSource(jmeterXml, xml, [1000]);
  const got = measured?.all.filter(
    ({ label, name }) => label !== undefined && name !== "responses",
  );
  expect(
    Object.fromEntries(got?.map(({ name, label, sum }) => [`${name} of ${label}`, sum]) ?? []),
  ).toEqual(want);
});

const START_MS = 1_795_232_610_052;
const sample = (attributes: string) =>
  `<sample t="5" ts="${START_MS}" s="true" lb="a" rm="OK" dt="text" ${attributes}/>`;

function figures(...elements: readonly string[]) {
  const xml = `<testResults version="1.2">${elements.join("")}</testResults>`;
  const { measured } = decodeSource(jmeterXml, xml);
  const all = measured?.all.filter(({ label }) => label === "a") ?? [];
  const rows = all.map(({ name, count, sum, min, max }) => [name, count, sum, min, max]);
  return { rows, refused: measured?.unstored["value"] };
}

test("values of any form, between rows that wait to be summed up", () => {
  expect(
    figures(
      sample('lt="0" ct="0"'),
      sample('lt="3" ct="x"'),
      sample('lt="1.5" ct="2" rc="304"'),
      sample('lt="" sc="2"'),
      sample('lt="8" sc="4"'),
      sample('lt="2" rc="200"'),
    ),
  ).toEqual({
    rows: [
      ["connect", 2, 2, 0, 2],
      ["latency", 8, 14.5, -Infinity, Infinity],
      ["responses", 1, 1, undefined, undefined],
    ],
    refused: 1,
  });
});

test("samples that plug-ins write as elements have measures", () => {
  const element = `<x.Sampler><label>a</label><elapsedTime>9</elapsedTime><timeStamp>${START_MS}</timeStamp><success>true</success><latency>7</latency><connectTime>3</connectTime><idleTime>1</idleTime></x.Sampler>`;
  expect(figures(element).rows).toEqual([
    ["connect", 1, 3, 3, 3],
    ["idle", 1, 1, 1, 1],
    ["latency", 1, 7, 7, 7],
  ]);
});
