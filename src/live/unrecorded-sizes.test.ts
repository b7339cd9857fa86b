import { expect, test } from "vitest";
import { follow, HEADER, PAUSE, ROWS, type Step } from "../../test/support/follow.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import { summarise } from "../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";

const XML = '<testResults version="1.2">\n';
const xmlSample = (more: string) =>
  `<httpSample t="20" ts="1790000000000" lb="GET /" s="true" na="3"${more}/>\n`;

async function told(store: Store) {
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { overall, quality } = await summarise(store.points, { ...query, apdexMicros: undefined });
  return [overall.receivedBytes, quality.map(({ code }) => code)];
}

const NEITHER = ["sizes-not-recorded", "users-not-recorded"];
const UNKNOWN_REASONS = ["sizes-not-recorded", "failure-reasons-not-recorded"];

test.each([
  [
    "a CSV without bytes",
    ["timeStamp,elapsed,label,success\n1790000000000,20,a,true\n"],
    [[null, NEITHER]],
  ],
  [
    "a CSV with bytes",
    [HEADER, ...ROWS.slice(0, 3)],
    [[3, ["failure-reasons-not-recorded", "users-not-recorded"]]],
  ],
  ["a CSV with bytes of 0", [HEADER, "1790000000000,20,a,true,0\n"], [[0, ["users-not-recorded"]]]],
  [
    "a CSV with bytes that cannot be read",
    [HEADER, ...ROWS.slice(0, 3), "1790000000000,20,a,true,oops\n"],
    [[null, ["failure-reasons-not-recorded", "users-not-recorded", "rows-repaired"]]],
  ],
  [
    "a failure without a reason",
    ["timeStamp,elapsed,label,success,allThreads\n1790000000000,20,a,false,3\n"],
    [[null, UNKNOWN_REASONS]],
  ],
])("a followed %s leaves unknown what it does not record", async (_, lines, wanted) => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(lines.join(""));
  await follow(file, PAUSE, { store });
  expect([await told(store)]).toEqual(wanted);
});

test("what a followed file records later is known from then on", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const seen: Promise<unknown>[] = [];
  const look: Step = () => void seen.push(told(store));
  file.append(XML + xmlSample(""));
  await follow(file, [...PAUSE, look, () => file.append(xmlSample(' by="9"')), ...PAUSE, look], {
    store,
  });
  expect(await Promise.all(seen)).toEqual([
    [null, ["sizes-not-recorded"]],
    [9, []],
  ]);
});

test("a restarted follower still knows what was recorded before", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(XML + xmlSample(' by="9"'));
  await follow(file, PAUSE, { store });
  file.append(xmlSample(""));
  await follow(file, PAUSE, { store });
  expect(await told(store)).toEqual([9, []]);
});
