import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const SECOND = 1_746_612_000;

/** As PerfMon's listener writes into the file of the run (codecentric/jmeter-graph-maven-plugin #5). */
function monitored(name: string, label: string, at: number, elapsed: number): string {
  return (
    `<${name}><timeStamp>${SECOND + at}000</timeStamp><startTime>${SECOND + at}000</startTime>` +
    `<elapsedTime>${elapsed}</elapsedTime><latency>0</latency><label>${label}</label>` +
    `<success>true</success></${name}>`
  );
}

test("samples of PerfMon in XML are a measure with unit and host, and no requests", () => {
  const elements = Array.from({ length: 30 }, (_, at) => [
    `<httpSample t="${120 + at}" lt="80" ts="${SECOND + at}000" s="true" lb="Home" rc="200" rm="OK" tn="TG 1-1" dt="text" by="1000" ng="1" na="1"/>`,
    monitored("kg.apc.jmeter.perfmon.PerfMonSampleResult", "localhost CPU", at, 14_300 + 37 * at),
  ]);
  const source = `<testResults version="1.2">\n${elements.flat().join("\n")}\n</testResults>\n`;
  const { samples, measured, notes, rejections } = decodeSource(jmeterXml, source);
  expect(samples).toHaveLength(30);
  expect(Math.max(...samples.map(({ elapsedMicros }) => elapsedMicros))).toBe(149_000);
  const cpu = measured?.all.find(({ name }) => name === "CPU");
  expect(cpu).toMatchObject({
    label: undefined,
    unit: "%",
    kind: "gauge",
    tags: { host: "localhost" },
    count: 30,
    min: 14.3,
    max: 15.373,
    last: 15.373,
  });
  // 30 * 14.3 + 0.037 * (0 + … + 29)
  expect(cpu?.sum).toBeCloseTo(445.095, 9);
  expect(notes).toEqual(["rows of monitors (PerfMon and others), stored as measures: 30"]);
  expect(rejections).toEqual([]);
});

test.each([
  ["kg.apc.jmeter.jmxmon.JMXMonSampleResult", "heap used"],
  ["kg.apc.jmeter.dbmon.DbMonSampleResult", "connections"],
  ["nl.tilln.jmeter.sshmon.SSHMonSampleResult", "load"],
])("%s keeps its label as the name of the measure", (name, label) => {
  const source = `<testResults version="1.2">${monitored(name, label, 0, -1500)}</testResults>\n`;
  const { samples, measured } = decodeSource(jmeterXml, source);
  expect(samples).toEqual([]);
  expect(measured?.all).toMatchObject([{ name: label, unit: "", tags: {}, sum: -1.5 }]);
});

const HEADER =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,grpThreads,allThreads,Latency";

test("rows of PerfMon in CSV are measures, other rows without threads are requests", () => {
  const labels = ["localhost CPU", "10.0.0.1 Memory usedperc", "db Network I/O bytesrecv"];
  const rows = Array.from({ length: 40 }, (_, at) => [
    `${SECOND + at}000,${90 + at},Home,200,OK,TG 1-1,text,true,1000,1,1,80`,
    ...labels.map((label) => `${SECOND + at}000,${1000 * at},${label},,,,,true,0,0,0,0`),
    `${SECOND + at}000,7,login CPU,200,OK,TG 1-1,text,true,1000,1,1,80`,
    `${SECOND + at}000,7,setUp,200,OK,,text,true,1000,0,0,80`,
  ]);
  const source = `${[HEADER, ...rows.flat()].join("\n")}\n`;
  for (const sizes of [[], [100], [1]]) {
    const { samples, measured, notes } = decodeSource(jmeterCsv, source, sizes);
    const of = Map.groupBy(samples, ({ label }) => label);
    expect([...of].map(([label, each]) => [label, each.length])).toEqual([
      ["Home", 40],
      ["login CPU", 40],
      ["setUp", 40],
    ]);
    const monitors = measured?.all.filter(({ kind }) => kind === "gauge");
    expect(monitors?.map(({ name, unit, tags, sum }) => [name, unit, tags["host"], sum])).toEqual([
      ["CPU", "%", "localhost", 780],
      ["Memory usedperc", "%", "10.0.0.1", 780],
      ["Network I/O bytesrecv", "", "db", 780],
    ]);
    expect(notes).toContain("rows of monitors (PerfMon and others), stored as measures: 120");
  }
});

test("without a column for threads, no row is taken for one of a monitor", () => {
  const source = `timeStamp,elapsed,label,success\n${SECOND}000,99560,localhost CPU,true\n`;
  expect(decodeSource(jmeterCsv, source).samples).toHaveLength(1);
});
