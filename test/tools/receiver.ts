import path from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Imported, readBack } from "../samples/import-and-read.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";

/** A Tachograph server that receives what tools send during a run. */
export interface Receiver {
  /** Such as `http://127.0.0.1:40123`, without a trailing slash. */
  readonly url: string;
  /** Host and port of gRPC. */
  readonly grpcAddress: string;
  /** A key that may read and write. */
  readonly key: string;
}

export interface RunningReceiver extends Receiver {
  /** The contents of a load test; `undefined` if it does not exist. */
  read(loadTestId: string): Promise<Pick<Imported, "endpoints" | "users"> | undefined>;
  /** Stops the server. Throws if it did not exit cleanly or if its log contains a key. */
  close(): Promise<void>;
  /** Kills the server with SIGKILL, and starts it again at the same address. */
  killAndRestart(): Promise<void>;
}

/** Starts the real program on a free loopback port, with its data in `directory`. */
export async function startReceiver(directory: string): Promise<RunningReceiver> {
  const where = ["--data", directory];
  const made = await runTachograph([
    "keys",
    "create",
    "--name",
    "tool",
    "--scope",
    "read,write",
    ...where,
  ]);
  const key = made.out.trim();
  const serve = (port: string) =>
    startTachograph(["serve", "--port", port, "--otlp-grpc-port", "0", ...where]);
  let server = serve("0");
  const greeting = await server.printed("gRPC is received");
  const url = /answers at (\S+?)\/?$/m.exec(greeting)?.[1];
  const grpcAddress = /gRPC is received at (\S+)$/m.exec(greeting)?.[1];
  if (url === undefined || grpcAddress === undefined)
    throw new Error(`cannot tell the address: ${greeting}`);
  return {
    url,
    grpcAddress,
    key,
    async read(loadTestId) {
      const store = await openSqliteStore(path.join(directory, "tachograph.sqlite"), {
        now: () => Date.now(),
      });
      try {
        const isThere = (await store.loadTests.find(loadTestId)) !== undefined;
        return isThere ? await readBack(store.points, loadTestId) : undefined;
      } finally {
        await store.close();
      }
    },
    async killAndRestart() {
      server.process.kill("SIGKILL");
      await server.outcome;
      server = serve(new URL(url).port);
      await server.printed("answers at");
    },
    async close() {
      server.process.kill("SIGTERM");
      const { exitCode, error } = await server.outcome;
      if (exitCode !== 0)
        throw new Error(`the server ended with ${exitCode}: ${error.slice(-500)}`);
      if (error.includes(key)) throw new Error("the key stands in the log of the server");
    },
  };
}
