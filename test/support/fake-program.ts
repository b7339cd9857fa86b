/**
 * Runs commands without a process. Output is captured; the store is in memory and outlives each command.
 */

import { FORMATS } from "../../src/decode/formats.ts";
import { runCommandLine } from "../../src/cli/program.ts";
import type { ServerAddress, StoreLocation } from "../../src/cli/targets/store-location.ts";
import type { ServeRequest, CommandContext } from "../../src/cli/command-context.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { followResults } from "../../src/live/follow-results.ts";
import { importResults } from "../../src/import/import-results.ts";
import { openRemoteTarget } from "../../src/remote/remote-target.ts";
import { openServerApi } from "../../src/remote/server-api.ts";
import { ServerCalls } from "../../src/remote/server-calls.ts";
import { openLoadProcess } from "../../src/server/load-process.ts";
import { openPrometheus } from "../../src/source/download/prometheus.ts";
import { findRemoteFiles } from "../../src/source/download/find-remote-files.ts";
import { openStoreApi } from "../../src/server/store-api.ts";
import { addressServing } from "../../src/store/sqlite/file/server-lock.ts";
import type { Store } from "../../src/store/store.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";

interface CommandOutcome {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
}

export interface FakeProgram {
  /** Runs one command line; `input` is its standard input. */
  run(
    words: readonly string[],
    input?: string,
    environment?: CommandContext["environment"],
  ): Promise<CommandOutcome>;
  /** The requests that `serve` received. */
  readonly served: ServeRequest[];
}

/** Calls over the real network, without retries. */
function callsOf(address: ServerAddress): ServerCalls {
  return new ServerCalls({
    ...address,
    fetch,
    wait: async () => {},
    clockMs: () => 0,
    random: () => 0,
    patienceMs: () => 0,
    warn: () => undefined,
  });
}

const NOW_MS = Date.UTC(2026, 10, 21, 12);

/** `store` replaces the empty store in memory; `stores` has those of other locations. */
export function createFakeProgram(
  store: Store = { ...openMemoryStore(), close: async () => {} },
  stores?: (location: StoreLocation) => Store | undefined,
): FakeProgram {
  const served: ServeRequest[] = [];
  let ids = 0;
  const createId = (): string => `new-${++ids}`;
  return {
    served,
    async run(words, input = "", environment = {}) {
      let out = "";
      let error = "";
      const decoder = new TextDecoder();
      const context: CommandContext = {
        async writeOut(content) {
          out += typeof content === "string" ? content : decoder.decode(content, { stream: true });
        },
        writeError: (text) => void (error += text),
        terminal: { errorIsTerminal: false, columns: Number(environment["COLUMNS"] ?? 200) },
        now: () => NOW_MS,
        environment: { XDG_DATA_HOME: "/data", ...environment },
        interrupted: new AbortController().signal,
        stores: {
          open: async (location) => stores?.(location) ?? store,
          openApi: async (opened, project) =>
            openStoreApi(opened, project, {
              createLoadTestId: createId,
              now: () => NOW_MS,
              version: "1.2.3",
              template: () => "<title>__report_title__</title>__report_contents__",
            }),
          backUp: async () => {
            throw new Error("no files");
          },
          restore: async () => {
            throw new Error("no files");
          },
        },
        servers: {
          addressServing: async (directory) => addressServing(directory),
          openApi: async (address) => openServerApi(callsOf(address)),
          async openTarget({ isLive, ...address }) {
            if (isLive) throw new Error("no spool");
            const target = openRemoteTarget(callsOf(address));
            return { target, settle: async () => 0, spoolLocation: "" };
          },
          serve: async (job) => void served.push(job),
          serveTools: async () => {
            throw new Error("no model");
          },
        },
        load: {
          ...openLoadProcess(() => true),
          isRunning: () => false,
          interrupt: async () => "",
          runCommand: async () => "",
        },
        imports: {
          standardInput: async function* standardInput() {
            yield Buffer.from(input);
          },
          timeZone: "UTC",
          createLoadTestId: createId,
          findRemoteFiles: (address) =>
            findRemoteFiles(address, {
              environment: {},
              home: "/home/nobody",
              interrupted: new AbortController().signal,
              now: () => NOW_MS,
              clockMs: () => 0,
              wait: async () => {},
              warn: (message) => void (error += message),
            }),
          openPrometheus: async (address) =>
            openPrometheus(address, { fetch, interrupted: new AbortController().signal }),
          importResults: (into, request) =>
            importResults(request, {
              store: into,
              formats: FORMATS,
              decodePoints,
              now: () => NOW_MS,
            }),
          followResults: (request, job) =>
            followResults(request, {
              ...job,
              formats: FORMATS,
              now: () => NOW_MS,
              clockMs: () => 0,
              wait: async () => {},
              warn: (message) => void (error += message),
              // Following reads to the end of the file, then stops.
              interrupted: AbortSignal.abort(),
            }),
        },
      };
      const exitCode = await runCommandLine(words, context, "1.2.3");
      return { exitCode, out, error };
    },
  };
}
