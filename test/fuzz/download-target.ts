import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { errorMessage, UserError } from "../../src/model/errors.ts";
import { findRemoteFiles } from "../../src/source/download/find-remote-files.ts";
import type { FuzzTarget } from "./target.ts";

const SECRETS = ["PASSW0RD", "S1GNATURE"];
/** Of a file that never ends. */
const READ_MAX = 1024 * 1024;
/** After the first bytes of the answer, so that it comes in two parts. */
const REST_MS = 1;

/**
 * Answers of a server from which files are imported: redirects, ranges, lengths and bodies, each the lines of an input that an
 * empty line follows. Errors are those that users see, and neither they nor warnings have the password or signature.
 */
export function createDownloadTarget(): FuzzTarget {
  let opened: Promise<Server> | undefined;
  let answers: readonly Buffer[] = [];
  let asked = 0;
  return {
    name: "download",
    cost: 4,
    async run(input) {
      opened ??= open(() => answers[asked++ % answers.length] ?? Buffer.alloc(0));
      const { port } = (await opened).address() as AddressInfo;
      [answers, asked] = [answersIn(Buffer.from(input), port), 0];
      const said = await download(
        `http://user:${SECRETS[0]}@127.0.0.1:${port}/a?sig=${SECRETS[1]}`,
      );
      const secret = SECRETS.find((each) => said.includes(each));
      if (secret !== undefined) throw new Error(`it says ${secret}: ${said.slice(0, 300)}`);
    },
    async close() {
      (await opened)?.close();
    },
  };
}

/** Returns what was said to the user. */
async function download(address: string): Promise<string> {
  const said: string[] = [];
  let nowMs = 0;
  const dependencies = {
    environment: {},
    home: "/nowhere",
    interrupted: AbortSignal.timeout(1000),
    now: () => nowMs,
    clockMs: () => nowMs,
    wait: async (ms: number) => void (nowMs += 10 * ms),
    warn: (message: string) => void said.push(message),
  };
  try {
    const [found] = await findRemoteFiles(address, dependencies);
    let bytes = 0;
    for await (const chunk of (await found?.open())?.chunks ?? []) {
      bytes += chunk.length;
      if (bytes > READ_MAX) break;
    }
  } catch (error) {
    const isInterrupted = dependencies.interrupted.aborted;
    if (!(error instanceof UserError) && !isInterrupted) throw error;
    said.push(errorMessage(error));
  }
  return said.join("\n");
}

async function open(next: () => Buffer): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      const answer = next();
      socket.write(answer.subarray(0, answer.length / 2));
      setTimeout(() => socket.end(answer.subarray(answer.length / 2)), REST_MS);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Divided by lines of "--"; PORT is that of the server. */
function answersIn(input: Buffer, port: number): readonly Buffer[] {
  const texts = input.toString("latin1").replaceAll("PORT", String(port)).split("\n--\n");
  return texts.map((text) => Buffer.from(text.replaceAll(/\r?\n/g, "\r\n"), "latin1"));
}
