import { hash } from "node:crypto";
import { Agent } from "node:http";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { peakResidentBytes, processorSeconds } from "../frame/child.ts";
import type { BenchContext, Candidate, Measured, Scenario } from "../frame/scenario.ts";
import { quantile } from "../frame/statistics.ts";
import { atLeast, atMost } from "../frame/targets.ts";
import { postAtFullSpeed, postTo } from "./full-speed.ts";
import { LABELS, type LiveBatch, liveBatch } from "./live-batch.ts";
import {
  type Program,
  programs,
  serveProgram,
  TACHOGRAPH,
  type TachographServer,
} from "./tachograph.ts";

const SENDERS = 10;
const LOAD_TEST = "bench";
const BATCHES_PER_SENDER = 8;
const MEDIA_TYPE = "application/vnd.tachograph.batch";
const WATCH_EVERY_MS = 500;

const FULL_SPEED = "as fast as acknowledged";
const PACED = "one batch a second each";

export const liveBatches: Scenario = {
  name: "live-batches",
  title: "Batches of live senders, with histograms",
  about: `
${SENDERS} senders of one load test, each with the same 1,000 endpoints; a batch holds a second of all of them, about 14 requests with
their histogram in each data point. A post is answered when it is durable (\`synchronous=FULL\`). At full speed the batches are sent as they
are, for six seconds after two that are not counted. Paced ones are compressed with zstd, as \`import --follow --url\` sends
them, at ten different moments of each second for 20 s; meanwhile one endpoint is asked for twice a second, and no answer may
hold less than was acknowledged before it was asked for, or more than was sent. Sealing goes on beside both.`,
  columns: [
    { key: "points", title: "points/s", better: "more" },
    { key: "p50", title: "acknowledged: p50, ms", better: "less" },
    { key: "p99", title: "p99, ms", better: "less" },
    { key: "processor", title: "processor time of a post, ms", better: "less" },
    { key: "answer99", title: "one endpoint answered: p99, ms", better: "less" },
    { key: "resident", title: "resident at most, MB", better: "less" },
  ],
  targets: [
    atLeast({
      text: "batches with histograms, durable",
      isHeadline: true,
      candidate: nameOf(TACHOGRAPH, FULL_SPEED),
      column: "points",
      limit: 600_000,
      unit: "points/s",
    }),
    atMost({
      text: "ten paced senders of 1,000 endpoints, p99",
      isHeadline: true,
      candidate: nameOf(TACHOGRAPH, PACED),
      column: "p99",
      limit: 25,
      unit: "ms",
    }),
  ],
  candidates: (context) => {
    const batches = Array.from({ length: SENDERS }, (_, sender) =>
      Array.from({ length: BATCHES_PER_SENDER }, (_each, index) =>
        liveBatch(`sender-${sender}`, sender * BATCHES_PER_SENDER + index),
      ),
    );
    return programs(context).flatMap((program) => [
      sending(nameOf(program, FULL_SPEED), {
        program,
        context,
        batches,
        measure: measureFullSpeed,
      }),
      sending(nameOf(program, PACED), { program, context, batches, measure: measurePaced }),
    ]);
  },
};

interface Request {
  readonly program: Program;
  readonly context: BenchContext;
  /** Of each sender, which it sends in turn. */
  readonly batches: readonly (readonly LiveBatch[])[];
  readonly measure: (server: TachographServer, request: Request) => Promise<Measured>;
}

function sending(name: string, request: Request): Candidate {
  return {
    name,
    open: () => ({
      async measure(round) {
        const folder = path.join(request.context.scratch, hash("sha1", `${name} ${round}`));
        const server = await serveProgram(request.program, folder);
        try {
          await fetch(`${server.url}/Api/LoadTests`, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...keyOf(server) },
            body: JSON.stringify({ id: LOAD_TEST, name: LOAD_TEST }),
          });
          const measured = await request.measure(server, request);
          const resident = peakResidentBytes(server.processId) / 1e6;
          return { figures: { ...measured.figures, resident } };
        } finally {
          await server.stop();
        }
      },
    }),
  };
}

async function measureFullSpeed(server: TachographServer, request: Request): Promise<Measured> {
  const { isQuick } = request.context;
  const headers = { "Content-Type": MEDIA_TYPE, ...keyOf(server) };
  const sent: number[] = [];
  const ran = await postAtFullSpeed({
    url: batchesUrl(server),
    processId: server.processId,
    senders: SENDERS,
    warmUpMs: isQuick ? 500 : 2000,
    measuredMs: isQuick ? 1000 : 6000,
    next(sender, index) {
      const batch = batchOf(request, sender, index);
      sent.push(batch.requests);
      return { body: batch.at(index), headers };
    },
  });
  const acknowledged = sent.reduce((sum, requests) => sum + requests, 0);
  const stored = await storedRequests(server);
  if (stored !== acknowledged) {
    throw new Error(`${stored} requests are stored, ${acknowledged} were acknowledged`);
  }
  const points = (ran.posts * batchOf(request, 0, 0).points) / ran.seconds;
  const processor = 1000 * ran.processorSecondsPerPost;
  return { figures: { points, p50: ran.p50Ms, p99: ran.p99Ms, processor } };
}

async function measurePaced(server: TachographServer, request: Request): Promise<Measured> {
  const seconds = request.context.isQuick ? 3 : 20;
  const earlierSeconds = processorSeconds(server.processId);
  const agent = new Agent({ keepAlive: true });
  const headers = {
    "Content-Type": MEDIA_TYPE,
    "Content-Encoding": "zstd",
    ...keyOf(server),
  };
  // Packed before, so that it takes no time later.
  const packed = request.batches.map((_, sender) =>
    Array.from({ length: seconds }, (_each, index) =>
      batchOf(request, sender, index).packedAt(index),
    ),
  );
  const tally: Tally = { sent: 0, acknowledged: 0, acknowledgedMs: [], answeredMs: [] };
  const startedAtMs = performance.now();
  const send = async (sender: number): Promise<void> => {
    for (const [index, body] of (packed[sender] ?? []).entries()) {
      const due = startedAtMs + (index + sender / SENDERS) * 1000;
      await delay(Math.max(0, due - performance.now()));
      const { watched } = batchOf(request, sender, index);
      const begin = performance.now();
      tally.sent += watched;
      await postTo(batchesUrl(server), { body, headers }, agent);
      tally.acknowledged += watched;
      tally.acknowledgedMs.push(performance.now() - begin);
    }
  };
  let isOver = false;
  const watching = watch(server, tally, () => isOver);
  try {
    await Promise.all(packed.map((_, sender) => send(sender)));
  } finally {
    isOver = true;
    await watching;
    agent.destroy();
  }
  const { acknowledgedMs, answeredMs } = tally;
  const [p50, p99] = [quantile(acknowledgedMs, 0.5), quantile(acknowledgedMs, 0.99)];
  const taken = processorSeconds(server.processId) - earlierSeconds;
  const processor = (1000 * taken) / acknowledgedMs.length;
  return { figures: { p50, p99, processor, answer99: quantile(answeredMs, 0.99) } };
}

/** Requests of the endpoint that is watched, and times. */
interface Tally {
  sent: number;
  acknowledged: number;
  readonly acknowledgedMs: number[];
  readonly answeredMs: number[];
}

async function watch(server: TachographServer, tally: Tally, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const least = tally.acknowledged;
    const begin = performance.now();
    const found = await watchedRequests(server);
    tally.answeredMs.push(performance.now() - begin);
    if (found < least || found > tally.sent) {
      throw new Error(`an answer had ${found} requests, not ${least} to ${tally.sent}`);
    }
    await delay(WATCH_EVERY_MS);
  }
}

/** Requests of the endpoint that is watched, as the rows of its csv have them. */
async function watchedRequests(server: TachographServer): Promise<number> {
  const asked = `loadTestId=${LOAD_TEST}&hash=${hash("sha1", LABELS[0] ?? "")}&format=csv`;
  const answer = await fetch(`${server.url}/Api/Metrics?${asked}`, { headers: keyOf(server) });
  const [item] = (await answer.json()) as { data: string[][] }[];
  return (item?.data.slice(1) ?? []).reduce((sum, row) => sum + Number(row[2]), 0);
}

async function storedRequests(server: TachographServer): Promise<number> {
  const url = `${server.url}/Api/LoadTests/${LOAD_TEST}/Summary`;
  const answer = await fetch(url, { headers: keyOf(server) });
  return ((await answer.json()) as { overall: { count: number } }).overall.count;
}

function batchOf({ batches }: Request, sender: number, index: number): LiveBatch {
  const batch = batches[sender]?.[index % BATCHES_PER_SENDER];
  if (batch === undefined) throw new Error("BUG: there is no such sender");
  return batch;
}

function batchesUrl({ url }: TachographServer): string {
  return `${url}/Api/LoadTests/${LOAD_TEST}/Batches`;
}

function keyOf({ key }: TachographServer): Record<string, string> {
  return { "X-Service-Auth": key };
}

function nameOf({ name }: Program, pace: string): string {
  return `${name}, ${pace}`;
}
