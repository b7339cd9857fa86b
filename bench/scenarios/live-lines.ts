import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { peakResidentBytes, type RunningServer } from "../frame/child.ts";
import type { BenchContext, Candidate, Measured, Scenario } from "../frame/scenario.ts";
import { timesMore } from "../frame/targets.ts";
import type { Peer } from "../peers/peer.ts";
import { influxdb, questdb } from "../peers/peers.ts";
import { textOf } from "../servers/http-calls.ts";
import { startInfluxDb } from "../servers/influxdb.ts";
import { startQuestDb } from "../servers/questdb.ts";
import { postAtFullSpeed } from "./full-speed.ts";
import { lineBody } from "./line-bodies.ts";
import { type Program, programs, serveProgram, TACHOGRAPH } from "./tachograph.ts";

const SENDERS = 4;
const LOAD_TEST = "bench";
const compared = {
  ours: TACHOGRAPH.name,
  column: "lines",
  processorColumn: "processor",
  unit: "lines/s",
};

export const liveLines: Scenario = {
  name: "live-lines",
  title: "Line protocol as k6 sends it, while the test runs",
  about: `
${SENDERS} senders post as fast as they are acknowledged, each a body of 450 requests with all metrics of k6 (4,800 lines, 1.1 MB), of which the
time advances from post to post. Six seconds after two that are not counted; a new server for each round. Acknowledged means
durable for Tachograph (\`synchronous=FULL\`) and InfluxDB (its log is synced); QuestDB acknowledges what its log has, unsynced, as it
does by default. InfluxDB and QuestDB keep every line; Tachograph keeps what the lines say of requests, merged by endpoint and
second with a histogram. After each round the requests that are stored are compared with those that were acknowledged.`,
  columns: [
    { key: "lines", title: "lines/s", better: "more" },
    { key: "posts", title: "posts/s", better: "more" },
    { key: "p50", title: "p50, ms", better: "less" },
    { key: "p99", title: "p99, ms", better: "less" },
    { key: "processor", title: "processor time of a post, ms", better: "less" },
    { key: "resident", title: "resident at most, MB", better: "less" },
  ],
  relative: { column: "lines", to: [influxdb.name, questdb.name] },
  targets: [
    timesMore({
      ...compared,
      text: "k6 lines, durable",
      isHeadline: true,
      peer: influxdb.name,
      times: 4,
    }),
    timesMore({ ...compared, text: "k6 lines", peer: questdb.name, times: 3 }),
  ],
  candidates: (context) => [
    ...programs(context).map((program) =>
      taking(program.name, [], context, (folder) => startOurs(program, folder)),
    ),
    taking(influxdb.name, [influxdb], context, startInflux),
    taking(questdb.name, [questdb], context, startQuest),
  ],
};

/** A server that takes line protocol. */
interface LineServer extends RunningServer {
  readonly writeUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests that can be read from it now. */
  readonly stored: () => Promise<number>;
}

function taking(
  name: string,
  needs: readonly Peer[],
  context: BenchContext,
  start: (folder: string) => Promise<LineServer>,
): Candidate {
  return {
    name,
    needs,
    open: () => ({
      async measure(round) {
        const folder = path.join(context.scratch, `${name}-${round}`.replaceAll(" ", "-"));
        const server = await start(folder);
        try {
          return await measureLines(server, context);
        } finally {
          await server.stop();
        }
      },
    }),
  };
}

async function measureLines(server: LineServer, { isQuick }: BenchContext): Promise<Measured> {
  const bodies = Array.from({ length: SENDERS }, (_, sender) => lineBody(sender + 1));
  const ran = await postAtFullSpeed({
    url: server.writeUrl,
    processId: server.processId,
    senders: SENDERS,
    warmUpMs: isQuick ? 500 : 2000,
    measuredMs: isQuick ? 1000 : 6000,
    next(sender, index) {
      const body = bodies[sender] ?? lineBody(sender + 1);
      body.delay(2 * index);
      return { body: body.bytes, headers: server.headers };
    },
  });
  const resident = peakResidentBytes(server.processId) / 1e6;
  const processor = 1000 * ran.processorSecondsPerPost;
  const { lines, requests } = lineBody(1);
  const acknowledged = ran.sent.reduce((sum, posts) => sum + posts, 0) * requests;
  await compareStored(server, acknowledged);
  const posts = ran.posts / ran.seconds;
  const { p50Ms: p50, p99Ms: p99 } = ran;
  return { figures: { lines: posts * lines, posts, p50, p99, processor, resident } };
}

/** What is in the log of a peer may be seen a little later. */
async function compareStored(server: LineServer, acknowledged: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  let stored = await server.stored();
  while (stored < acknowledged && performance.now() < deadline) {
    await delay(200);
    stored = await server.stored();
  }
  if (stored !== acknowledged) {
    throw new Error(`${stored} requests are stored, ${acknowledged} were acknowledged`);
  }
}

async function startOurs(program: Program, folder: string): Promise<LineServer> {
  const server = await serveProgram(program, folder);
  const headers = { "X-Service-Auth": server.key };
  return {
    ...server,
    writeUrl: `${server.url}/write?db=${LOAD_TEST}&precision=ns`,
    headers,
    async stored() {
      const answer = await fetch(`${server.url}/Api/LoadTests/${LOAD_TEST}/Summary`, { headers });
      return ((await answer.json()) as { overall: { count: number } }).overall.count;
    },
  };
}

async function startInflux(folder: string): Promise<LineServer> {
  const server = await startInfluxDb(folder);
  const query = encodeURIComponent("SELECT count(value) FROM http_req_duration");
  return {
    ...server,
    writeUrl: `${server.url}/write?db=bench&precision=ns`,
    headers: {},
    async stored() {
      const answer = JSON.parse(await textOf(`${server.url}/query?db=bench&q=${query}`)) as {
        results: { series: { values: [string, number][] }[] }[];
      };
      return answer.results[0]?.series[0]?.values[0]?.[1] ?? 0;
    },
  };
}

async function startQuest(folder: string): Promise<LineServer> {
  const server = await startQuestDb(folder);
  const query = encodeURIComponent("SELECT count() FROM http_req_duration");
  return {
    ...server,
    writeUrl: `${server.url}/write?precision=n`,
    headers: {},
    async stored() {
      const answer = JSON.parse(await textOf(`${server.url}/exec?query=${query}`)) as {
        dataset: [[number]];
      };
      return answer.dataset[0][0];
    },
  };
}
