import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type RunningServer, startServer } from "../frame/child.ts";
import type { BenchContext, Candidate, OpenCandidate, Scenario } from "../frame/scenario.ts";
import { timesMore } from "../frame/targets.ts";
import { nginx, wrk } from "../peers/peers.ts";
import { copiedStore, secondStore } from "../reads/copied-load-tests.ts";
import { DENSE, labelsOf } from "../reads/dense.ts";
import { startNginx } from "../reads/nginx-server.ts";
import { type OurServer, startOurServer } from "../reads/our-server.ts";
import { bodyOf, type Question } from "../reads/timed-request.ts";
import { nodeHttp } from "../../src/http/node-server.ts";
import { requestsPerSecond } from "../reads/wrk.ts";
import { type Program, programs, TACHOGRAPH } from "./tachograph.ts";

const OURS = TACHOGRAPH.name;
const NGINX = "nginx, 1 worker";
const BARE = "node:http alone";
const BARE_CHILD = path.join(import.meta.dirname, "../reads/bare-child.ts");
const SECONDS = 1;

export const repeatedRead: Scenario = {
  name: "repeated-read",
  title: "Repeated read: the same question again and again",
  about: `\`GET /Api/Metrics?format=csv\` by wrk with 1 thread for ${SECONDS} s each, against nginx that serves the very same
bytes as a static file (sendfile, tcp_nopush, open_file_cache, no access log). Requests a second. "node:http alone" is what Node's own
server does without ours in it: the same bytes in and out, from one Buffer, without a check of the key or the store and without a log
(\`reads/bare-child.ts\`).`,
  turns: 5,
  columns: [
    { key: "small", title: "one endpoint, 190 KB, 16 connections", better: "more" },
    { key: "large", title: "100 endpoints, 19 MB, 4 connections", better: "more" },
    { key: "known", title: "304, 16 connections", better: "more" },
    { key: "smallProcessor", title: "190 KB: processor time, µs", better: "less" },
    { key: "knownProcessor", title: "304, µs", better: "less" },
  ],
  relative: { column: "small", to: [NGINX] },
  targets: [
    timesMore({ text: "19 MB", ours: OURS, peer: NGINX, column: "large", unit: "/s", times: 1 }),
    timesMore({
      text: "304",
      isHeadline: true,
      ours: OURS,
      peer: BARE,
      column: "known",
      processorColumn: "knownProcessor",
      unit: "/s",
      times: 0.3,
    }),
  ],
  async candidates(context) {
    const { scratch, dataFolder } = context;
    const store = await copiedStore(dataFolder, [{ name: "dense", count: 20, shape: DENSE }]);
    const open = (program: Program): Promise<OurServer> => {
      const own = program === TACHOGRAPH ? store : secondStore(store, scratch);
      return startOurServer({ ...own, scratch, program });
    };
    const questions = await writeAnswers(await open(TACHOGRAPH), filesOf(context));
    const ours = programs(context).map((program) => ({
      name: program.name,
      needs: [wrk],
      open: async () => {
        const server = await open(program);
        return await openRates(questionsOf(server), server, context);
      },
    }));
    return [...ours, bareCandidate(context, questions), nginxCandidate(context)];
  },
};

/** An answer of "node:http alone": its body is in `file`. */
export interface BareAnswer {
  readonly file: string;
  readonly path: string;
  readonly tag: string;
  /** Names and values in turns; of 200 and of 304. */
  readonly head: string[];
  readonly knownHead: string[];
}

interface Questions {
  readonly small: Question;
  readonly large: Question;
}

function questionsOf(server: OurServer): Questions {
  const ask = { loadTest: "dense-0", format: "csv" } as const;
  const digest = hash("sha1", labelsOf(DENSE)[0] ?? "");
  return { small: server.metrics({ ...ask, hash: digest }), large: server.metrics(ask) };
}

function filesOf({ scratch }: BenchContext): string {
  return path.join(scratch, "files");
}

/** The answers as files, and what `bare-child.ts` reads. */
async function writeAnswers(server: OurServer, folder: string): Promise<Questions> {
  mkdirSync(folder);
  const questions = questionsOf(server);
  const answers: BareAnswer[] = [];
  try {
    for (const file of ["small", "large"] as const) {
      const question = questions[file];
      writeFileSync(path.join(folder, file), await bodyOf(question));
      // Twice for nothing: then it is cached, and sent with its length.
      for (let time = 0; time < 2; time++) await headOf(question);
      const head = await headOf(question);
      const tag = head[head.indexOf("ETag") + 1] ?? "";
      const knownHead = await headOf(question, { "If-None-Match": tag });
      answers.push({ file, path: question.path, tag, head, knownHead });
    }
  } finally {
    await server.stop();
  }
  writeFileSync(path.join(folder, "answers.json"), JSON.stringify(answers));
  return questions;
}

/** Names and values of an answer's head, but for those that Node adds by itself. */
function headOf({ port, path: where, headers }: Question, more = {}): Promise<string[]> {
  const request = { port, path: where, headers: { ...headers, ...more }, agent: false };
  const own = new Set(["Date", "Connection", "Keep-Alive"]);
  return new Promise((resolve, reject) => {
    const asked = nodeHttp.get(request, (answer) => {
      const { rawHeaders } = answer.resume();
      const head = rawHeaders.filter((_, at) => !own.has(rawHeaders[at - (at % 2)] ?? ""));
      answer.on("end", () => resolve(head));
    });
    asked.on("error", reject);
  });
}

function bareCandidate(context: BenchContext, questions: Questions): Candidate {
  return {
    name: BARE,
    needs: [wrk],
    async open() {
      let port = 0;
      const words = [BARE_CHILD, filesOf(context)];
      const server = await startServer({ program: process.execPath, words }, (out) => {
        port = Number(/:(\d+)\n/.exec(out)?.[1] ?? 0);
        return port !== 0;
      });
      const { small, large } = questions;
      const own = { small: { ...small, port }, large: { ...large, port } };
      return await openRates(own, server, context);
    },
  };
}

function nginxCandidate(context: BenchContext): Candidate {
  return {
    name: NGINX,
    needs: [nginx, wrk],
    async open() {
      const server = await startNginx(filesOf(context), path.join(context.scratch, "nginx"));
      const { port } = server;
      const questions = { small: { port, path: "/small" }, large: { port, path: "/large" } };
      return await openRates(questions, server, context);
    },
  };
}

async function openRates(
  { small, large }: Questions,
  { processId, stop }: RunningServer,
  { isTable }: BenchContext,
): Promise<OpenCandidate> {
  const results: Record<string, string> = {};
  for (const [name, question] of Object.entries({ small, large })) {
    results[name] = hash("sha1", await bodyOf(question));
  }
  const { port, path: where, headers } = small;
  // As wrk asks: what is compressed has another tag.
  const ask = (more: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${where}`, {
      headers: { ...headers, "Accept-Encoding": "identity", ...more },
    });
  const tag = { "If-None-Match": (await ask({})).headers.get("etag") ?? "" };
  const { status } = await ask(tag);
  if (status !== 304) throw new Error(`expected 304 to a known tag, got ${status}`);
  const known = { ...small, headers: { ...headers, ...tag } };
  return {
    async measure() {
      const load = { connections: 16, seconds: SECONDS, processId };
      const [few, none] = [
        await requestsPerSecond(small, load),
        await requestsPerSecond(known, load),
      ];
      const figures = {
        small: few.perSecond,
        known: none.perSecond,
        smallProcessor: few.processorMicros,
        knownProcessor: none.processorMicros,
      };
      // No row of the one table.
      if (isTable) return { figures, results };
      const many = await requestsPerSecond(large, { ...load, connections: 4 });
      return { figures: { ...figures, large: many.perSecond }, results };
    },
    close: stop,
  };
}
