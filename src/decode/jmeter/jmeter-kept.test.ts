import { expect, test } from "vitest";
import { keptOf } from "../../../test/support/kept-samples.ts";
import type { LabelledSample } from "../../model/samples/request-sample.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";
import { recording } from "../../../test/support/recording.ts";

const XML = recording("jmeter-xml/gen-jmeter-5.6.3-responsedata-headers-vars.jtl.gz").toString();

test("each of the 8 kinds of failure has a sample, and its body where JMeter has written one", () => {
  // Of XML by a regular expression: of failed samples, labels and bodies.
  const written = [
    ...XML.matchAll(/<(?:httpSample|sample) [^>]* s="false" lb="([^"]*)" rc="([^"]*)"/g),
  ];
  const kinds = new Set(written.map(([, label, code]) => `${label} ${code}`));
  const samples = keptOf(jmeterXml, XML).filter(({ code }) => code !== undefined);
  expect(new Set(samples.map(({ label, code }) => `${label} ${code}`)).size).toBe(kinds.size);
  const reset = samples.find(({ label }) => label === "reset");
  expect(reset).toMatchObject({
    timeMs: 1795232687091,
    elapsedMicros: 58_000,
    connectMicros: 43_000,
    receivedBytes: 2067,
    thread: "API «сервис» 2-1",
    generator: "vm",
    method: "GET",
    url: "http://127.0.0.1:9121/reset?e=reset",
    message: "Non HTTP response message: 127.0.0.1:9121 failed to respond",
  });
  expect(reset?.responseBody).toMatch(/^org\.apache\.http\.NoHttpResponseException: /);
  const asserted = samples.find(({ label }) => label === "200 but assertion fails");
  expect(asserted).toMatchObject({ code: "200", responseBody: "x".repeat(512) });
  expect(asserted?.message).toMatch(/^first line\nsecond line/);
  expect(asserted?.responseHeaders).toMatch(/^HTTP\/1\.1 200 OK\ncontent-type: text\/plain\n/);
});

test("samples do not depend on how the bytes are cut", () => {
  const whole = keptOf(jmeterXml, XML, { pieceBytes: XML.length * 2 });
  for (const pieceBytes of [1000, 65_536]) {
    expect(keptOf(jmeterXml, XML, { pieceBytes })).toEqual(whole);
  }
});

const HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,URL\n";
const row = (at: number, elapsed: number, failed: boolean) =>
  `${1_795_232_600_000 + at},${elapsed},a,${failed ? "503,Busy" : "200,OK"},Users 1-${at % 9},${!failed},10,"/cart?id=${at},&token=s3cret"\n`;

const elapsed = (at: number) => (at * 7919) % 10_007;

test("of CSV, the fast path finds the first failures and the slowest requests", () => {
  const rows = Array.from({ length: 9000 }, (_, at) => row(at, elapsed(at), at % 100 === 50));
  const samples = keptOf(jmeterCsv, HEAD + rows.join(""));
  const failed = samples.filter(({ code }) => code === "503");
  expect(failed.slice(0, 3).map(({ timeMs }) => timeMs - 1_795_232_600_000)).toEqual([
    50, 150, 250,
  ]);
  expect(failed[0]).toMatchObject({
    code: "503",
    message: "Busy",
    thread: "Users 1-5",
    url: "/cart?id=50,&token=[redacted]",
  });
  const slowest = Array.from({ length: 9000 }, (_, at) => elapsed(at) * 1000)
    .toSorted((left, right) => right - left)
    .slice(0, 5);
  const times = samples.map(({ elapsedMicros }) => elapsedMicros);
  expect(times.toSorted((left, right) => right - left).slice(0, 5)).toEqual(slowest);
});

const withoutLabel = (samples: readonly LabelledSample[]) =>
  samples.map(({ label: _label, ...sample }) => sample);

test("the slow path finds the same as the fast one", () => {
  const rows = Array.from({ length: 500 }, (_, at) => row(at, (at * 31) % 499, at % 10 === 5));
  // A quote within a label is left to the slow path.
  const slow = rows.map((each) => each.replace(",a,", ',"a""b",'));
  expect(withoutLabel(keptOf(jmeterCsv, HEAD + slow.join("")))).toEqual(
    withoutLabel(keptOf(jmeterCsv, HEAD + rows.join(""))),
  );
});

test("a transaction has no URL, for which JMeter writes null", () => {
  const rows = Array.from({ length: 9 }, (_, at) => row(at, at, false));
  const nulls = rows.map((each) => each.replace(/"[^"]*"/, "null"));
  for (const label of ["a", '"a""b"']) {
    const source = HEAD + nulls.map((each) => each.replace(",a,", `,${label},`)).join("");
    const samples = keptOf(jmeterCsv, source);
    expect(samples.length).toBe(5);
    expect(samples.filter(({ url }) => url !== undefined)).toEqual([]);
  }
});
