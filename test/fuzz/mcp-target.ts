import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { serveTools } from "../../src/mcp/serve-tools.ts";
import { UserError } from "../../src/model/errors.ts";
import { openStoreApi } from "../../src/server/store-api.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { jsonLines } from "./structures/json.ts";
import type { FuzzTarget } from "./target.ts";

type Message = Readonly<Record<string, unknown>>;

/** Lines of a client of the MCP server: every answer is one line of JSON-RPC, and no request is answered twice. */
export function createMcpTarget(): FuzzTarget {
  let open: ReturnType<typeof openWorld> | undefined;
  return {
    name: "mcp",
    structure: jsonLines,
    cost: 4,
    async run(input) {
      open ??= openWorld();
      const api = await open;
      const [asked, output] = [new PassThrough(), new PassThrough()];
      const said: Buffer[] = [];
      output.on("data", (bytes: Buffer) => void said.push(bytes));
      asked.write(Buffer.concat([input, Buffer.from("\n")]));
      void whenQuiet(said).then(() => asked.end());
      const dependencies = {
        input: asked,
        output,
        version: "1",
        warn: () => undefined,
        interrupted: AbortSignal.timeout(10 * INPUT_MS_MAX),
      };
      try {
        await serveTools(async () => api, dependencies);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      } finally {
        output.end();
      }
      checkAnswers(Buffer.concat(said).toString(), Buffer.from(input).toString());
    },
  };
}

const INPUT_MS_MAX = 1500;
const QUIET_MS = 5;

/** Ends the wait for answers; tools that still run then are left. */
async function whenQuiet(said: readonly Buffer[]): Promise<void> {
  for (let [before, left] = [-1, INPUT_MS_MAX / QUIET_MS]; left > 0; left--) {
    await setTimeout(QUIET_MS);
    if (said.length === before) return;
    before = said.length;
  }
}

async function openWorld() {
  const store = { ...openMemoryStore(), close: async () => {} };
  await store.loadTests.create(loadTest());
  const samples = [
    sample("GET /a", 1_700_000_000),
    { ...sample("b", 1_700_000_060), failed: true },
  ];
  await store.points.append(batchOf(samples));
  const others = { createLoadTestId: () => "new", now: () => 0, version: "", template: () => "" };
  const api = openStoreApi(store, undefined, others);
  return { ...api, [Symbol.asyncDispose]: async () => {} };
}

function checkAnswers(said: string, asked: string): void {
  const lines = said.split("\n");
  if (lines.pop() !== "") throw new Error("the last answer has no end");
  const answers = lines.map((line) => JSON.parse(line) as Message);
  for (const answer of answers) {
    const { jsonrpc, id, method } = answer;
    const isAnswer = "result" in answer !== "error" in answer;
    if (
      jsonrpc !== "2.0" ||
      (id === undefined && method === undefined) ||
      (method === undefined && !isAnswer)
    ) {
      throw new Error(`it is no answer: ${JSON.stringify(answer).slice(0, 300)}`);
    }
    if (
      /\n\s+at .*\(?.*:\d+:\d+\)?/.test(
        JSON.stringify(answer["error"] ?? "").replaceAll("\\n", "\n"),
      )
    ) {
      throw new Error(`it shows where the program failed: ${JSON.stringify(answer["error"])}`);
    }
  }
  const requests = asked.split("\n").filter((line) => line.trim() !== "").length;
  if (answers.length > requests) throw new Error(`${answers.length} answers to ${requests} lines`);
}
