import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;

interface Numbers {
  readonly count: number;
  readonly perSecond: number;
  readonly meanMs?: number;
}

/** A point as NBomber.Sinks.InfluxDB writes it: `MapStepsStats` of its InfluxDBSink.cs. */
function point(step: string, ok: Numbers, fail: Numbers, operation = "bombing"): string {
  const of = (outcome: string, { count, perSecond, meanMs = 0 }: Numbers): string =>
    [
      `${outcome}.request.count=${count}i,${outcome}.request.rps=${perSecond}`,
      `${outcome}.latency.min=${meanMs / 2},${outcome}.latency.mean=${meanMs},${outcome}.latency.max=${meanMs * 2}`,
      `${outcome}.datatransfer.all=${count * 100}i`,
    ].join();
  return (
    `nbomber,current_operation=${operation},node_type=SingleNode,scenario=buy,step=${step} ` +
    `all.request.count=${ok.count + fail.count}i,${of("ok", ok)},${of("fail", fail)},simulation.value=10i ${SECOND}000000000\n`
  );
}

const decode = (text: string): Decoded => decodeSource(lineProtocol, text);

test("a step in an interval is a window that ends at its time", () => {
  const { windows } = decode(
    point(
      "login",
      { count: 40, perSecond: 8, meanMs: 12.5 },
      { count: 10, perSecond: 2, meanMs: 80 },
    ),
  );
  expect(windows).toEqual([
    {
      label: "login",
      second: SECOND - 5,
      windowSeconds: 5,
      requests: 50,
      elapsedMicros: 40 * 12_500 + 10 * 80_000,
      receivedBytes: 5000,
      failedRequests: 10,
      failedElapsedMicros: 800_000,
      failedReceivedBytes: 1000,
      minMicros: 6250,
      maxMicros: 160_000,
      latencies: [],
    },
  ]);
});

test("a rate that is rounded to 0 does not spread a step over hours", () => {
  const { windows } = decode(point("a", { count: 1, perSecond: 0 }, { count: 0, perSecond: 0 }));
  expect(windows).toMatchObject([{ second: SECOND - 1, windowSeconds: 1, requests: 1 }]);
});

test("the sums of the run, and steps without requests, add nothing", () => {
  const none = { count: 0, perSecond: 0 };
  const some = { count: 1, perSecond: 1 };
  expect(decode(point("a", some, none, "complete") + point("a", none, none)).windows).toEqual([]);
});

test("what NBomber sums up over the steps of a scenario is a transaction", () => {
  const ok = { count: 5, perSecond: 1, meanMs: 1 };
  const none = { count: 0, perSecond: 0 };
  const { roles } = decode(point("login", ok, none) + point("global\\ information", ok, none));
  expect(roles).toEqual({ login: "request", buy: "transaction" });
});

test("numbers that are missing or impossible are rejected", () => {
  const bad = point("a", { count: -1, perSecond: 1 }, { count: 0, perSecond: 0 });
  expect(decode(bad).rejections.map(({ reason }) => reason)).toEqual([
    "cannot read the numbers of the step",
  ]);
});
