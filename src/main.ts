/** The entry point: only it touches the process and, with `serve.ts`, chooses adapters. Loads commands when used: `--help` is fast. */

import { fileURLToPath } from "node:url";
import { readFileSync, writeSync } from "node:fs";
import { randomInt } from "node:crypto";
import { homedir } from "node:os";
import { addAbortSignal } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { printable } from "./cli/output/table.ts";
import { runCommandLine } from "./cli/program.ts";
import type { CommandContext, Imports, Servers, Stores } from "./cli/command-context.ts";
import { makeDirectory, requireStore, storeFile } from "./data-directory/directory.ts";
import type { ImportRequest } from "./import/import-results.ts";
import type { Program } from "./server/serve.ts";
import type { Decoding } from "./import/heap-limits.ts";
import { createLoadTestId, LOAD_TEST_ID_RANDOM_END } from "./import/load-test-id.ts";
import { openLoadProcess } from "./server/load-process.ts";

/** A smaller upload is decoded in less time than a second thread takes to start. */
const SECOND_THREAD_BYTES_MIN = 4 * 1024 * 1024;

/** Long enough for a server to restart. */
const READING_PATIENCE_MS = 120_000;

type Warn = (message: string) => void;

const INTERRUPTED_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/** CI systems set a variable to an empty text if its secret does not exist. */
function forgetEmptySettings(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === "" && name.startsWith("TACHOGRAPH_")) Reflect.deleteProperty(environment, name);
  }
}

async function main(): Promise<void> {
  const interruption = new AbortController();
  let interruptedBy: keyof typeof INTERRUPTED_EXIT | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      interruptedBy = signal;
      interruption.abort();
    });
  }
  // A reader that closes the pipe early (`| head`) is not an error, and changes no exit code.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(1);
  });
  // There is nowhere to report it.
  process.stderr.on("error", () => undefined);
  forgetEmptySettings(process.env);
  const version = packageVersion();
  const context = createCommandContext(interruption.signal, {
    version,
    processId: process.pid,
    pageFolder: fileURLToPath(new URL("../dist/page", import.meta.url)),
    demoFolder: fileURLToPath(new URL("../examples/demo", import.meta.url)),
    // Pipes do not block: Node makes them so when it opens `process.stderr`.
    writeLog: (bytes) => writeSync(process.stderr.fd, bytes),
    onHangUp: (reread) => process.on("SIGHUP", reread),
  });
  try {
    process.exitCode = await runCommandLine(process.argv.slice(2), context, version);
  } catch (error) {
    if (interruptedBy === undefined) throw error;
    context.writeError("interrupted\n");
    process.exitCode = INTERRUPTED_EXIT[interruptedBy];
  }
}

function createCommandContext(interrupted: AbortSignal, program: Program): CommandContext {
  const warn = (message: string): void => context.writeError(`warning: ${printable(message)}\n`);
  const environment = process.env;
  const imports = createImports(interrupted, warn);
  const context: CommandContext = {
    // Resolves when the bytes are written, not when there is room: the caller reuses their memory.
    writeOut: (content) =>
      new Promise((resolve) => {
        process.stdout.write(content, (error) => {
          // The rest of an export has no reader. A command that prints text still has its work to do.
          const isUnread = error != null && "code" in error && error.code === "EPIPE";
          if (isUnread && typeof content !== "string") process.exit(0);
          resolve();
        });
      }),
    writeError: (text) => void process.stderr.write(text),
    terminal: {
      errorIsTerminal: process.stderr.isTTY,
      get columns() {
        return process.stdout.columns ?? (Number(environment["COLUMNS"]) || 100);
      },
    },
    now: Date.now,
    environment,
    interrupted,
    stores: createStores(imports, program, warn),
    servers: {
      ...createServers(interrupted, program, warn),
      async serve(job) {
        // A closed or blocked output must neither end nor delay the server.
        process.stdout.removeAllListeners("error").on("error", () => undefined);
        await (await import("./server/serve.ts")).serve(job, context, program);
        process.exit(0);
      },
    },
    imports,
    load: openLoadProcess((pid, signal) => process.kill(pid, signal)),
  };
  return context;
}

function createStores(imports: Imports, { version, pageFolder }: Program, warn: Warn): Stores {
  return {
    open: async (location, options) =>
      (await import("./data-directory/open-store.ts")).openStoreAt(location, options, { warn }),
    async openApi(store, project) {
      const { openStoreApi } = await import("./server/store-api.ts");
      const { readReportTemplate } = await import("./server/read-page-files.ts");
      const { checkTraceUrl } = await import("./http/settings.ts");
      const template = (): string | undefined => readReportTemplate(pageFolder);
      return openStoreApi(store, project, {
        createLoadTestId: () => imports.createLoadTestId(),
        now: Date.now,
        version,
        template,
        traceUrl: checkTraceUrl(process.env["TACHOGRAPH_TRACE_URL"]),
      });
    },
    async backUp(directory, target) {
      const file = storeFile(directory);
      requireStore(file);
      return (await import("./store/sqlite/file/backup.ts")).backUp(file, target);
    },
    async restore(source, directory) {
      makeDirectory(directory);
      const { restore } = await import("./store/sqlite/file/backup.ts");
      const { openSqliteStore } = await import("./store/sqlite/store.ts");
      const open = (file: string) => openSqliteStore(file, { now: Date.now });
      return restore(source, storeFile(directory), open);
    },
  };
}

function createServers(
  interrupted: AbortSignal,
  { version, processId }: Program,
  warn: Warn,
): Omit<Servers, "serve"> {
  return {
    addressServing: async (directory) =>
      (await import("./store/sqlite/file/server-lock.ts")).addressServing(directory),
    async openApi({ patienceMs = READING_PATIENCE_MS, ...address }) {
      const { openServerApi } = await import("./remote/server-api.ts");
      const { ServerCalls } = await import("./remote/server-calls.ts");
      const calls = new ServerCalls({
        ...address,
        // Changes are not repeated: an unanswered one may have been made.
        patienceMs: (method) => (method === "GET" ? patienceMs : 0),
        warn,
        // An interrupt ends calls at once, since nothing local can be left half done.
        fetch(url, { signal, ...request } = {}) {
          const ends = [interrupted, signal].filter((each) => each instanceof AbortSignal);
          return fetch(url, { ...request, signal: AbortSignal.any(ends) });
        },
        wait: (ms) => setTimeout(ms, undefined, { signal: interrupted }),
        clockMs: () => performance.now(),
        random: Math.random,
      });
      return openServerApi(calls);
    },
    async openTarget(job) {
      const { openServer } = await import("./remote/open-server.ts");
      return openServer(job, {
        fetch,
        wait: (ms) => setTimeout(ms),
        clockMs: () => performance.now(),
        random: Math.random,
        warn,
        interrupted,
        processId,
      });
    },
    async serveTools(openApi) {
      const { serveTools } = await import("./mcp/serve-tools.ts");
      const { stdin: input, stdout: output } = process;
      await serveTools(openApi, { input, output, version, warn, interrupted });
    },
  };
}

function createImports(interrupted: AbortSignal, warn: Warn): Imports {
  return {
    standardInput: () => addAbortSignal(interrupted, process.stdin),
    // Lazy: finding it takes a tenth of a short command's time.
    get timeZone() {
      return new Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    createLoadTestId: () => createLoadTestId(Date.now(), randomInt(LOAD_TEST_ID_RANDOM_END)),
    async findRemoteFiles(address) {
      const { findRemoteFiles } = await import("./source/download/find-remote-files.ts");
      return findRemoteFiles(address, {
        environment: process.env,
        home: homedir(),
        interrupted,
        now: Date.now,
        clockMs: () => performance.now(),
        wait: (ms) => setTimeout(ms, undefined, { signal: interrupted }),
        warn,
      });
    },
    async openPrometheus(address) {
      const { openPrometheus } = await import("./source/download/prometheus.ts");
      return openPrometheus(address, { fetch, interrupted });
    },
    async importResults(target, request) {
      const { prepareToRead } = await import("./source/read-file.ts");
      if (request.file !== undefined) prepareToRead(request.file.path);
      const { importResults } = await import("./import/import-results.ts");
      const { FORMATS } = await import("./decode/formats.ts");
      const { inTightHeap, limitYoungGeneration } = await import("./import/heap-limits.ts");
      limitYoungGeneration();
      const decoding = await chooseDecoding(request);
      return importResults(request, {
        ...inTightHeap(decoding),
        store: target,
        formats: FORMATS,
        now: Date.now,
      });
    },
    async followResults(request, job) {
      const { followResults } = await import("./live/follow-results.ts");
      const { FORMATS } = await import("./decode/formats.ts");
      await followResults(request, {
        ...job,
        formats: FORMATS,
        now: Date.now,
        clockMs: () => performance.now(),
        wait: (ms) => setTimeout(ms, undefined, { signal: interrupted }).catch(() => undefined),
        warn,
        interrupted,
      });
    },
  };
}

/** Decoding in another thread costs processor time; a server needs it to answer meanwhile. */
async function chooseDecoding({
  isUpload,
  sizeBytes = Infinity,
}: ImportRequest): Promise<Decoding> {
  const { decodeFile, decodePoints } = await import("./import/decode-points.ts");
  if (isUpload !== true || sizeBytes < SECOND_THREAD_BYTES_MIN) return { decodePoints, decodeFile };
  const { decodePointsInWorker } = await import("./import/decode-in-worker.ts");
  return { decodePoints: decodePointsInWorker, decodeFile };
}

function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

await main();
