import path from "node:path";
import { peakResidentBytes } from "../frame/child.ts";
import type { BenchContext, Candidate, Measured, Scenario } from "../frame/scenario.ts";
import { atLeast } from "../frame/targets.ts";
import { postAtFullSpeed } from "./full-speed.ts";
import { spanBody } from "./span-bodies.ts";
import { programs, serveProgram, TACHOGRAPH, type TachographServer } from "./tachograph.ts";

const SENDERS = 4;
const LOAD_TEST = "bench";

export const liveSpans: Scenario = {
  name: "live-spans",
  title: "Spans of a load tool, over OTLP",
  about: `
${SENDERS} senders post as fast as they are acknowledged, each a body of 2,000 client spans of 100 endpoints (Protocol Buffers), of which ids and
time change from post to post. Six seconds after two that are not counted; acknowledged means durable (\`synchronous=FULL\`). After each
round the requests that are stored are compared with the spans that were acknowledged.`,
  columns: [
    { key: "spans", title: "spans/s", better: "more" },
    { key: "p50", title: "p50, ms", better: "less" },
    { key: "p99", title: "p99, ms", better: "less" },
    { key: "processor", title: "processor time of a post, ms", better: "less" },
    { key: "resident", title: "resident at most, MB", better: "less" },
  ],
  targets: [
    atLeast({
      text: "OTLP spans, durable",
      isHeadline: true,
      candidate: TACHOGRAPH.name,
      column: "spans",
      limit: 200_000,
      unit: "spans/s",
    }),
  ],
  candidates: (context) =>
    programs(context).map((program): Candidate => ({
      name: program.name,
      open: () => ({
        async measure(round) {
          const folder = path.join(
            context.scratch,
            `${program.name}-${round}`.replaceAll(" ", "-"),
          );
          const server = await serveProgram(program, folder);
          try {
            return await measureSpans(server, context);
          } finally {
            await server.stop();
          }
        },
      }),
    })),
};

async function measureSpans(
  server: TachographServer,
  { isQuick }: BenchContext,
): Promise<Measured> {
  const key = { "X-Service-Auth": server.key };
  const type = { "Content-Type": "application/x-protobuf" };
  const headers = { ...key, ...type, "X-Load-Test": LOAD_TEST };
  const bodies = Array.from({ length: SENDERS }, (_, sender) => spanBody(sender));
  const ran = await postAtFullSpeed({
    url: `${server.url}/v1/traces`,
    processId: server.processId,
    senders: SENDERS,
    warmUpMs: isQuick ? 500 : 2000,
    measuredMs: isQuick ? 1000 : 6000,
    next(sender, index) {
      const body = bodies[sender] ?? spanBody(sender);
      body.delay(index);
      return { body: body.bytes, headers };
    },
  });
  const { spans } = spanBody(0);
  const acknowledged = ran.sent.reduce((sum, posts) => sum + posts, 0) * spans;
  const answer = await fetch(`${server.url}/Api/LoadTests/${LOAD_TEST}/Summary`, { headers: key });
  const { count } = ((await answer.json()) as { overall: { count: number } }).overall;
  if (count !== acknowledged) {
    throw new Error(`${count} requests are stored, ${acknowledged} spans were acknowledged`);
  }
  const { p50Ms: p50, p99Ms: p99, posts, seconds, processorSecondsPerPost } = ran;
  const resident = peakResidentBytes(server.processId) / 1e6;
  const processor = 1000 * processorSecondsPerPost;
  return { figures: { spans: (posts * spans) / seconds, p50, p99, processor, resident } };
}
