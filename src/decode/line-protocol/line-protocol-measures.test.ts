import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { measuredValues } from "../../../test/support/measured-values.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;
const NANOS = `${SECOND}267914198`;

const decode = (text: string): Decoded => decodeSource(lineProtocol, text);
const valuesOf = (text: string) => measuredValues(decode(text).measures);

/** As Telegraf 1.37 writes them. */
test("every number of a point of an unknown measurement is a gauge, with its tags", () => {
  const text =
    `cpu,cpu=cpu0,host=a\\ b usage_user=12.5,usage_idle=87.5 ${NANOS}\n` +
    `mem,host=a\\ b used=5i,available=6u ${NANOS}\nweird\\,name,testid=run on=true ${NANOS}\n`;
  const about = { unit: "", kind: "gauge", second: SECOND, count: 1 };
  const cpu = { cpu: "cpu0", host: "a b" };
  expect(valuesOf(text)).toEqual([
    { ...about, name: "cpu.usage_idle", tags: cpu, sum: 87.5, last: 87.5 },
    { ...about, name: "cpu.usage_user", tags: cpu, sum: 12.5, last: 12.5 },
    { ...about, name: "mem.available", tags: { host: "a b" }, sum: 6, last: 6 },
    { ...about, name: "mem.used", tags: { host: "a b" }, sum: 5, last: 5 },
    { ...about, name: "weird,name.on", tags: {}, sum: 1, last: 1 },
  ]);
});

test("a point with the only field value keeps its name: a script's metric of k6", () => {
  const text = `basket,scenario=a value=3 ${NANOS}\nbasket,scenario=a value=4 ${NANOS}\n`;
  expect(valuesOf(text)).toEqual([
    {
      name: "basket",
      unit: "",
      kind: "distribution",
      tags: { scenario: "a" },
      second: SECOND,
      count: 2,
      sum: 7,
    },
  ]);
});

test("texts and non-numbers are counted as not stored", () => {
  const { measures, rejections } = decode(
    `system uptime_format="1 day",load1=0.5,load5=0x5,n="7" ${NANOS}\n`,
  );
  expect(measures?.unstored).toMatchObject({ value: 3 });
  expect(measuredValues(measures).map(({ name }) => name)).toEqual(["system.load1"]);
  expect(rejections).toEqual([]);
});

test("what JMeter says of its run is an event, and not a measure", () => {
  const event = (text: string, time = `${SECOND}250`) =>
    `events,application=shop,title=ApacheJMeter text="${text}" ${time}\n`;
  const lines = [event("shop started"), event(" "), event("x".repeat(201)), event("late", "7")];
  const { events, measures, rejections } = decode(lines.join(""));
  expect(events).toEqual([{ atMs: SECOND * 1000 + 250, text: "shop started" }]);
  expect(measures).toBeUndefined();
  expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
    [2, "text: expected 1 to 200 characters, got 1"],
    [3, "text: expected 1 to 200 characters, got 201"],
    [4, 'cannot read the time: got "7", want UNIX time, from 1970 to 2106'],
  ]);
});

test("events beyond the 1,000 of a load test are rejected", () => {
  const lines = Array.from({ length: 1002 }, (_, at) => `events text="e${at}" ${SECOND + at}\n`);
  const { events, rejections } = decode(lines.join(""));
  expect(events).toHaveLength(1000);
  expect(rejections.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 2 }, () => "1000 events came before"),
  );
});

test("a point without a time is counted as not stored where its arrival is not known", () => {
  const { rejections, measures } = decode(`cpu usage=1 ${NANOS}\ncpu usage=2\n`);
  expect(rejections).toEqual([]);
  expect(measures?.unstored).toMatchObject({ time: 1 });
});

test("unknown measurements are named in the quality with their number of values", () => {
  const text = `cpu usage=1,idle=2 ${NANOS}\ncpu usage=3,idle=4 ${NANOS}\nmem\\ free a=1 ${NANOS}\n`;
  expect(decode(text).quality?.measurements).toEqual([
    { name: "cpu", values: 4 },
    { name: "mem free", values: 1 },
  ]);
  const many = Array.from({ length: 60 }, (_, at) => `m${at} a=1 ${NANOS}\n`).join("");
  expect(decode(many).quality?.measurements?.slice(48)).toEqual([
    { name: "m48", values: 1 },
    { name: "(other)", values: 11 },
  ]);
});
