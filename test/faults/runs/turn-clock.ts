import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { clockAt } from "../around/clock.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const LOAD_TESTS = 12;
const RETENTION = ["--keep-days", "30", "--keep-tests", "1000"];
const YEAR_MS = 365 * 24 * 3_600_000;
const AHEAD = "+10y";
const JUMPS = [
  ["ahead", AHEAD],
  ["behind", "-10y"],
] as const;
/** A server begins to delete a second after its start. */
const PASS_BEGINS_MS = 1500;

export const turnClock: Fault = {
  id: "C22",
  title:
    "The clock jumps ten years ahead and back: uploads count once, and retention deletes nothing; at most a tenth in a pass if the load generator's clock jumped, too.",
  rounds: { fast: 1, nightly: 3, release: 3 },
  programs: ["faketime"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    for (let index = 0; index < LOAD_TESTS; index++) await upload(server, `test-${index}`);
    await server.stop();
    server.words = RETENTION;
    let all = LOAD_TESTS;
    for (let round = 0; round < rounds; round++) {
      for (const [name, jump] of JUMPS) {
        server.environment = clockAt(jump);
        await server.start();
        await requireJump(server);
        await upload(server, `${name}-${round}`);
        await server.stop();
        all += 1;
        await prune(server);
        server.environment = {};
        await server.start();
        assert.equal(await countIn(server), all, `nothing is deleted after ${jump}`);
        await server.stop();
      }
    }
    server.environment = clockAt(AHEAD);
    server.words = [];
    await server.start();
    await upload(server, "measured-ahead", Date.now() + 9 * YEAR_MS);
    await server.stop();
    all += 1;
    server.words = RETENTION;
    await prune(server);
    server.environment = {};
    server.words = [];
    await server.start();
    const deleted = all - (await countIn(server));
    assert.ok(deleted > 0 && deleted <= Math.ceil(all / 10), `${deleted} of ${all} are deleted`);
    return {
      "clock jumps": 2 * rounds + 1,
      "load tests": all,
      "deleted by a wrong clock": 0,
      "deleted where the load generator's was wrong, too": deleted,
    };
  },
};

async function requireJump(server: ServedStore): Promise<void> {
  const date = (await server.fetch("/health/live")).headers.get("date") ?? "";
  assert.ok(Math.abs(Date.parse(date) - Date.now()) > 9 * YEAR_MS, `the clock stands at ${date}`);
}

/** Starts it once more, so that a pass of retention sees everything; stopping waits for the pass. */
async function prune(server: ServedStore): Promise<void> {
  await server.start();
  await setTimeout(PASS_BEGINS_MS);
  await server.stop();
}

/** Uploads a result twice: the second upload changes nothing. */
async function upload(
  server: ServedStore,
  id: string,
  measuredAtMs = Date.now() - 1000,
): Promise<void> {
  const row = `${measuredAtMs},12,GET /${id},200,OK,true,640\n`;
  const head = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n";
  for (const status of [201, 200]) {
    const request = { method: "POST", body: head + row };
    const answer = await server.fetch(`/Api/LoadTests/${id}/Results`, request);
    assert.equal(answer.status, status, await answer.text());
  }
  const query = `loadTestId=${id}&filter=GET&format=csv`;
  const [endpoint] = JSON.parse(await server.text(`/Api/Metrics?${query}`)) as [
    { readonly data: readonly (readonly string[])[] },
  ];
  assert.equal(endpoint.data[1]?.[2], "1", "its one request counts once");
}

async function countIn(server: ServedStore): Promise<number> {
  const { loadTests } = JSON.parse(await server.text("/Api/LoadTests")) as {
    readonly loadTests: readonly unknown[];
  };
  return loadTests.length;
}
