import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import type { DecodedMeasure, DecodedMeasures } from "../../../test/support/decoded-measures.ts";
import { har } from "../har/har.ts";
import { phout } from "../tables/phout.ts";
import { recording } from "../../../test/support/recording.ts";

const SECOND = 1_502_376_593;

const ofLabels = (measured: DecodedMeasures | undefined): readonly DecodedMeasure[] =>
  (measured?.all ?? []).filter(({ label }) => label !== undefined);

/** Count and sum by measure. */
function totals(measures: readonly DecodedMeasure[]): Record<string, readonly [number, number]> {
  const all: Record<string, readonly [number, number]> = {};
  for (const { name, count, sum } of measures) {
    const [counted, summed] = all[name] ?? [0, 0];
    all[name] = [counted + count, Math.round((summed + sum) * 1e6) / 1e6];
  }
  return all;
}

test("the phases of phout are in ms and add up to the elapsed time", () => {
  const rows = Array.from({ length: 300 }, (_, row) => {
    const [connect, send, wait, receive] = [row % 7, 12 + (row % 5), 400 + row, 50 + (row % 11)];
    const elapsed = connect + send + wait + receive;
    const time = `${SECOND + (row % 3) * 60}.${100 + row}`;
    return [
      time,
      `tag ${row % 4}#${row}`,
      elapsed,
      connect,
      send,
      wait,
      receive,
      9,
      row,
      10,
      0,
      200,
    ];
  });
  const columnSum = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
  const { measured } = decodeSource(
    phout,
    `${rows.map((row) => row.join("\t")).join("\n")}\n`,
    [99],
  );
  const want = {
    connect: [300, columnSum(3) / 1000],
    sending: [300, columnSum(4) / 1000],
    waiting: [300, columnSum(5) / 1000],
    receiving: [300, columnSum(6) / 1000],
    sent: [300, columnSum(8)],
  };
  expect(totals(ofLabels(measured))).toEqual(want);
  const whole = measured?.all.filter(({ label }) => label === undefined) ?? [];
  expect(totals(whole)).toEqual(want);
  expect(
    Object.fromEntries(whole.map(({ name, unit, kind }) => [name, `${kind} ${unit}`])),
  ).toEqual({
    connect: "distribution ms",
    sending: "distribution ms",
    waiting: "distribution ms",
    receiving: "distribution ms",
    sent: "counter By",
  });
  const phases = ["connect", "sending", "waiting", "receiving"] as const;
  const sum = phases.reduce((so, name) => so + (want[name][1] ?? 0), 0);
  expect(sum).toBeCloseTo(columnSum(2) / 1000, 6);
});

const row = (connect: string, waiting = "521") =>
  `${SECOND}.698\tcart\t797\t${connect}\t12\t${waiting}\t56\t670\t31\t315\t0\t200\n`;

const connects = (text: string) =>
  ofLabels(decodeSource(phout, text).measured).map(({ name, count, min }) => [name, count, min]);

test("a column of zeros was not recorded; zeros before another value count", () => {
  expect(connects(row("0").repeat(5)).map(([name]) => name)).not.toContain("connect");
  expect(connects(row("0").repeat(5) + row("7"))).toContainEqual(["connect", 6, 0]);
});

test("a value that is not a number is counted, and the request stays", () => {
  const { samples, measured } = decodeSource(phout, row("1") + row("2", "-"));
  expect(samples).toHaveLength(2);
  expect(measured?.unstored["value"]).toBe(1);
  expect(totals(ofLabels(measured))["waiting"]).toEqual([1, 0.521]);
});

interface Entry {
  readonly timings: Readonly<Record<string, number>>;
}

test.each([
  ["gen-har-playwright-1.65.1-full.har.gz", 5],
  ["gen-har-playwright-1.65.1-minimal.har.gz", 1],
])("the timings of %s", (file, phases) => {
  const text = recording(`har/${file}`).toString();
  const { entries } = (JSON.parse(text) as { log: { entries: readonly Entry[] } }).log;
  const names = { ssl: "tls", send: "sending", wait: "waiting", receive: "receiving" } as const;
  const want: Record<string, readonly [number, number]> = {};
  for (const timing of ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]) {
    const values = entries.map(({ timings }) => timings[timing] ?? -1).filter((ms) => ms >= 0);
    const sum = values.reduce((so, ms) => so + ms, 0);
    const name = names[timing as keyof typeof names] ?? timing;
    if (sum > 0) want[name] = [values.length, Math.round(sum * 1e6) / 1e6];
  }
  const { measured } = decodeSource(har, text, [777]);
  expect(totals(ofLabels(measured))).toEqual(want);
  expect(totals((measured?.all ?? []).filter(({ label }) => label === undefined))).toEqual(want);
  expect(Object.keys(want)).toHaveLength(phases);
});

const entry = (timings: object) => ({
  startedDateTime: "2026-11-21T03:52:49.828Z",
  time: 5,
  request: { method: "GET", url: "https://shop.example/" },
  response: { status: 200 },
  timings,
});

test("timings that are text, missing or not applicable", () => {
  const entries = [entry({ wait: 4.25, ssl: -1, connect: "1" }), entry({ wait: 0, ssl: 1.5 })];
  const creator = { name: "x", version: "1" };
  const { measured } = decodeSource(har, JSON.stringify({ log: { creator, entries } }));
  expect(totals(ofLabels(measured))).toEqual({ waiting: [2, 4.25], tls: [1, 1.5] });
  expect(measured?.unstored["value"]).toBe(1);
});
