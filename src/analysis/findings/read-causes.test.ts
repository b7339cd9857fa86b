import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { measured, seriesWith } from "../../../test/support/measures.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { measureTable } from "../../../test/support/plain-measures.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readFindings } from "./read-findings.ts";

const FROM = 1_700_000_000;
const [SECONDS, AT] = [240, 150];

/** Requests of 100 ms, of 400 ms from `AT` on, or that fail from a second on. */
function requests(failFrom?: number): string {
  const rows = Array.from({ length: SECONDS * 10 }, (_, index) => {
    const ms = FROM * 1000 + index * 100;
    const isSlow = failFrom === undefined && index >= AT * 10;
    const outcome = index >= (failFrom ?? SECONDS) * 10 ? "500,false" : "200,true";
    return `${ms},${(isSlow ? 400 : 100) + (index % 7)},GET /,${outcome}`;
  });
  return `timeStamp,elapsed,label,responseCode,success\n${rows.join("\n")}\n`;
}

/** A line of line protocol each second, without those that are `undefined`. */
function lines(head: string, valueAt: (second: number) => number | undefined): string {
  const all = Array.from({ length: SECONDS }, (_, second) => {
    const value = valueAt(second);
    return value === undefined ? "" : `${head}=${value} ${FROM + second}000000000\n`;
  });
  return all.join("");
}

/** About as noisy as an idle host: 30 to 39. */
const usual = (second: number): number => 30 + ((second * 7) % 10);

async function sentence(measures: string, event?: readonly [text: string, second: number]) {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], requests());
  if (measures !== "") {
    await program.run(["import", "-", "--id", "run", "--format", "line-protocol"], measures);
  }
  if (event) await program.run(["events", "add", "run", event[0], "--at", `${FROM + event[1]}`]);
  const { out } = await program.run(["summary", "run"]);
  return /^p95 rises.*$/m.exec(out)?.[0].replace(/^.*UTC; GET \//, "");
}

test("an event shortly before is named, and the host whose processor is busy since", async () => {
  const cpu = lines("cpu,host=db-1 usage_active", (at) => (at >= AT - 2 ? 93 : usual(at)));
  expect(await sentence(cpu, ["deploy: checkout 2.18.0", AT - 4])).toBe(
    "; 4 s after deploy: checkout 2.18.0; db-1 cpu.usage_active 34 to 93 %, 2 s before",
  );
});

test("nothing is named that does not move, moves at another time, or not beyond its noise", async () => {
  const others = [
    lines("cpu,host=a usage_active", usual),
    lines("cpu,host=b usage_active", (at) => (at >= AT - 40 ? 93 : usual(at))),
    lines("queue,host=c length", (at) => usual(at) + (at >= AT ? 11 : 0)),
    lines("mem,host=d used", (at) => 1e9 * (1 + at / SECONDS)),
    lines("requests,host=e per_second", (at) => (at >= AT ? 10 : 40)),
    lines("cpu usage_active", (at) => (at >= AT ? 93 : 30)),
  ];
  expect(await sentence(others.join(""), ["deploy", AT - 60])).toBe("");
});

test("a host that sends nothing is named, and of a host what moved most", async () => {
  const measures = [
    lines("pool,host=app-1 waiting", (at) => (at >= AT ? 7 : 0)),
    lines("pool,host=app-1 in_use", (at) => (at >= AT ? 50 : usual(at))),
    lines("cpu,host=db-1 usage_active", (at) => (at >= AT && at < AT + 20 ? undefined : usual(at))),
  ];
  expect(await sentence(measures.join(""))).toBe(
    "; db-1 sent nothing for 20 s; app-1 pool.waiting 0 to 7",
  );
});

test("silence of a host is reported for no longer than what was read", async () => {
  const cpu = lines("cpu,host=db-1 usage_active", (at) => (at < AT ? usual(at) : undefined));
  expect(await sentence(cpu)).toBe("; db-1 sent nothing for at least 60 s");
});

test("moved measures are listed strongest first, totals by their growth", async () => {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("run"));
  const slow = Array.from({ length: SECONDS * 10 }, (_, index) =>
    sample("home", FROM + Math.floor(index / 10), (index >= AT * 10 ? 400_000 : 100_000) + index),
  );
  const values = (name: string, valueAt: (second: number) => number) => {
    const series = seriesWith({ name, unit: "", kind: "gauge", tags: [["host", "db-1"]] });
    return Array.from({ length: SECONDS }, (_, at) => measured(FROM + at, valueAt(at), series));
  };
  const measures = measureTable([
    ...values("cpu.usage_active", (at) => (at >= AT ? 93 : usual(at))),
    // 1 MB per second, 5 from the incident on; steadily 2 MB.
    ...values("net.bytes_sent", (at) => 7e9 + 1e6 * at + 4e6 * Math.max(0, at - AT)),
    ...values("net.bytes_recv", (at) => 3e9 + 2e6 * at),
  ]);
  await store.points.append(batchOf(slow, { measures }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { incidents } = await readFindings(store.points, query);
  const tags = { host: "db-1" };
  expect(incidents[0]?.moved).toEqual([
    { name: "cpu.usage_active", tags, text: "db-1 cpu.usage_active 34 to 93 %" },
    { name: "net.bytes_sent", tags, text: "db-1 net.bytes_sent 1,000,000 to 5,000,000 /s" },
  ]);
});

test("that measures end with the run says nothing of a host", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], requests(SECONDS - 5));
  const measures =
    lines("cpu,host=db-1 usage_active", usual) + lines("cpu,host=db-1 busy_seconds", () => 1);
  await program.run(["import", "-", "--id", "run", "--format", "line-protocol"], measures);
  const { out } = await program.run(["summary", "run"]);
  expect(out).toMatch(/^50 of 50 failures .*: 500; GET \/$/m);
});
