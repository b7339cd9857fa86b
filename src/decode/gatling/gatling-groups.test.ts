import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { gatlingBinary } from "./gatling-binary.ts";
import { gatlingText } from "./gatling-text.ts";
import { recording } from "../../../test/support/recording.ts";

const read = (file: string) => recording(file);

/** Group, count, minimum, maximum and rounded mean. */
function groupsIn({ measured }: Decoded, name: string): unknown[] {
  const all = measured?.all.filter((measure) => measure.name === name) ?? [];
  return all.map(({ tags, count, sum, min, max }) => {
    return [tags["group"], count, min, max, Math.round(sum / count)];
  });
}

test("response times of groups are those of Gatling's report (stats.json of the same run)", () => {
  const decoded = decodeSource(
    gatlingText,
    read("gatling-text/gen-gatling-3.12.0.simulation.log.gz"),
  );
  expect(groupsIn(decoded, "group_response_time")).toEqual([
    ["Checkout  flow / Inner «группа»", 63, 48, 234, 115],
    ["Checkout  flow", 63, 59, 307, 150],
    ["G1", 42, 3, 18, 9],
  ]);
});

test("durations of groups are the time from their start to their end", () => {
  const log = read("gatling-text/gen-gatling-3.12.0.simulation.log.gz");
  const want: Record<string, number> = {};
  for (const line of log.toString().split("\n")) {
    const [kind, groups = "", start, end] = line.split("\t");
    if (kind === "GROUP") want[groups] = (want[groups] ?? 0) + Number(end) - Number(start);
  }
  const { measured } = decodeSource(gatlingText, log, [1000]);
  const got = measured?.all.filter(({ name }) => name === "group_duration") ?? [];
  const sums = got.map(({ tags, sum }) => [tags["group"]?.replace(" / ", ","), sum]);
  expect(Object.fromEntries(sums)).toEqual(want);
});

test.each([
  ["gen-gatling-3.15.1", 192],
  ["gen-gatling-3.13.5", 144],
  ["gen-gatling-3.15.1-killed", 40],
])("the groups of %s", (file, groups) => {
  const log = read(`gatling-binary/${file}.simulation.log.gz`);
  const { measured } = decodeSource(gatlingBinary, log, [777]);
  const durations = measured?.all.filter(({ name }) => name === "group_duration") ?? [];
  expect(durations.reduce((sum, { count }) => sum + count, 0)).toBe(groups);
  expect(durations.map(({ tags }) => tags["group"])).toEqual([
    "Checkout, flow / Inner «группа»",
    "Checkout, flow",
    "G1",
  ]);
  // The times of a group include those of the groups and requests within.
  const [inner, outer] = durations;
  expect(outer?.sum).toBeGreaterThan(inner?.sum ?? 0);
});

const START = 1_795_232_788_081;
const times = `${START}\t${START + 103}`;

test.each([
  ["2.0", `scene\t7\tGROUP\tBuy,Pay\t${times}\t95\t2\t0\tOK`],
  ["2.3", `GROUP\tscene\t7\tBuy,Pay\t${times}\t95\tOK`],
  ["3.3", `GROUP\t7\tBuy,Pay\t${times}\t95\tKO`],
  ["3.12", `GROUP\tBuy,Pay\t${times}\t95\tOK`],
])("the columns of %s", (version, row) => {
  const isThird = version === "2.0";
  const run = isThird ? `S\tid\tRUN\t${START}\t \t2.0` : `RUN\tS\tid\t${START}\t \t${version}`;
  const user = {
    "2.0": `scene\t7\tUSER\tSTART\t${START}\t0`,
    "2.3": `USER\tscene\t7\tSTART\t${START}\t${START}`,
    "3.3": `USER\tscene\t7\tSTART\t${START}\t${START}`,
    "3.12": `USER\tscene\tSTART\t${START}`,
  }[version];
  const decoded = decodeSource(gatlingText, [run, user, row, ""].join("\n"));
  expect(groupsIn(decoded, "group_duration")).toEqual([["Buy / Pay", 1, 103, 103, 103]]);
  expect(groupsIn(decoded, "group_response_time")).toEqual([["Buy / Pay", 1, 95, 95, 95]]);
  expect(decoded.rejections).toEqual([]);
});

const group = (name: string) => `GROUP\t${name}\t${times}\t95\tOK`;

test("a group with too long a name is counted, and changes nothing for others", () => {
  const run = `RUN\tS\tid\t${START}\t \t3.12.0`;
  const rows = [run, `USER\tscene\tSTART\t${START}`, group("x".repeat(201)), group("Buy"), ""];
  const decoded = decodeSource(gatlingText, rows.join("\n"));
  expect(groupsIn(decoded, "group_duration")).toEqual([["Buy", 1, 103, 103, 103]]);
  expect(decoded.measured?.unstored["tags"]).toBe(2);
});

test("groups that cannot be read are counted", () => {
  const rows = [
    `RUN\tS\tid\t${START}\t \t3.12.0`,
    `USER\tscene\tSTART\t${START}`,
    `GROUP\tBuy\t${START}\t${START - 1}\t95\tOK`,
    `GROUP\tBuy\t${START}\t-9223372036854775808\t95\tOK`,
    "GROUP\tfirst",
    `second\t${times}\t95\tOK`,
    "",
  ];
  const { measured, notes, rejections } = decodeSource(gatlingText, rows.join("\n"));
  expect([measured, rejections]).toEqual([undefined, []]);
  expect(notes).toContain("groups that cannot be read: 3");
});
