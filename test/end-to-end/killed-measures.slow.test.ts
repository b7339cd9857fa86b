import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/store-directory.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";
import { readMeasures } from "../tools/telemetry/read-measures.ts";

const SECONDS = 300;
const KILLS = 10;
const START = 1_795_690_000;
const LOAD_TEST_ID = "killed";

/** The CPU of a second, from Telegraf or a Collector, which also counts bytes since it started: the square of the seconds. */
function bodiesOf(second: number): readonly (readonly [url: string, type: string, body: string])[] {
  const timeUnixNano = `${START + second}000000000`;
  const dataPoints = [{ timeUnixNano, asDouble: second / 1000 }];
  const startTimeUnixNano = `${START - 1000}000000000`;
  const total = { startTimeUnixNano, timeUnixNano, asInt: String(second ** 2) };
  const sum = { isMonotonic: true, aggregationTemporality: 2, dataPoints: [total] };
  const metrics = [
    { name: "system.cpu.utilization", unit: "1", gauge: { dataPoints } },
    { name: "system.network.io", unit: "By", sum },
  ];
  return [
    [`/write?db=${LOAD_TEST_ID}`, "text/plain", `cpu usage_user=${second / 10} ${timeUnixNano}\n`],
    [
      "/v1/metrics",
      "application/json",
      JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
    ],
  ];
}

test("300 seconds of CPU survive ten kills of the server, sent again where no answer came", async () => {
  const directory = temporaryDirectory();
  const where = ["--data", directory];
  const made = await runTachograph(["keys", "create", "--name", "k", "--scope", "write", ...where]);
  let server: RunningTachograph | undefined;
  let address = "";
  const launch = async (): Promise<void> => {
    server = startTachograph(["serve", "--port", "0", ...where]);
    address = /answers at (\S+?)\/?$/m.exec(await server.printed("\n"))?.[1] ?? "";
  };
  const send = async ([url, type, body]: ReturnType<typeof bodiesOf>[number]): Promise<boolean> => {
    const headers = {
      "x-service-auth": made.out.trim(),
      "x-load-test": LOAD_TEST_ID,
      "content-type": type,
    };
    const answer = await fetch(address + url, { method: "POST", headers, body }).catch(
      () => undefined,
    );
    return answer?.ok === true;
  };
  let refused = 0;
  await launch();
  for (let second = 0; second < SECONDS; second++) {
    const sent = bodiesOf(second).map(send);
    if (second % (SECONDS / KILLS) === 7) {
      server?.process.kill("SIGKILL");
      await server?.outcome;
      await launch();
    }
    const answers = await Promise.all(sent);
    // A sender that got no answer sends again; one whose answer was lost on the way, too.
    for (const [at, body] of bodiesOf(second).entries()) {
      const isRepeated = answers[at] !== true || second % 10 === 0;
      if (isRepeated && !(await send(body))) refused += 1;
    }
  }
  server?.process.kill("SIGTERM");
  await server?.outcome;
  expect(refused).toBe(0);
  const values = await readMeasures(directory, LOAD_TEST_ID);
  for (const [name, scale] of [
    ["cpu.usage_user", 10],
    ["system.cpu.utilization", 1000],
  ] as const) {
    const own = values.filter((each) => each.name === name);
    expect(own.map(({ second, count, last }) => [second, count, last])).toEqual(
      Array.from({ length: SECONDS }, (_, second) => [START + second, 1, second / scale]),
    );
  }
  const increases = values.filter(({ name }) => name === "system.network.io");
  expect(increases.map(({ second, sum }) => [second, sum])).toEqual(
    Array.from({ length: SECONDS - 1 }, (_, before) => [START + before + 1, 2 * before + 1]),
  );
}, 240_000);
