/** The service as a process of its own, over a data directory that is there already. */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { startServer } from "../frame/child.ts";
import type { Program } from "../scenarios/tachograph.ts";
import type { CopiedStore } from "./copied-load-tests.ts";
import type { Delays } from "./probe-child.ts";
import type { Question } from "./timed-request.ts";

export interface OurServer {
  readonly port: number;
  readonly processId: number;
  /** Asks for the metrics of a load test, of all its endpoints or of one by its hash. */
  metrics(request: MetricsRequest): Question;
  /** How long it took it to answer each of the requests since the last call, by its own log. */
  elapsedMs(): readonly number[];
  /** How long its event loop was away since the last call. */
  delays(): Promise<Delays>;
  readonly stop: () => Promise<void>;
}

interface MetricsRequest {
  readonly loadTest: string;
  readonly format: "csv" | "xy" | "default";
  readonly hash?: string;
}

export interface OurServerOptions extends CopiedStore {
  /** A folder for the socket of the probe. */
  readonly scratch: string;
  readonly program: Program;
}

const PROBE = path.join(import.meta.dirname, "probe-child.ts");

export async function startOurServer(options: OurServerOptions): Promise<OurServer> {
  const { directory, key, scratch, program } = options;
  const probe = path.join(scratch, `probe-${randomUUID().slice(0, 8)}`);
  let address = "";
  const { processId, stop } = await startServer(
    {
      program: "/bin/sh",
      // A log that somebody reads through a pipe would be a third process under load.
      words: [
        "-c",
        `exec "$0" --import "$1" "$2" serve --port 0 --data "$3" 2>"$4"`,
        process.execPath,
        PROBE,
        program.file,
        directory,
        `${probe}.log`,
      ],
      environment: { TACHOGRAPH_PROBE: probe },
    },
    (out) => {
      address = /http:\/\/\S+/.exec(out)?.[0] ?? "";
      return address !== "";
    },
  );
  const port = Number(new URL(address).port);
  let linesRead = 0;
  return {
    port,
    processId,
    metrics({ loadTest, format, hash }) {
      const which = hash === undefined ? "filter=/" : `hash=${hash}`;
      const query = `loadTestId=${loadTest}&${which}&format=${format}`;
      return { port, path: `/Api/Metrics?${query}`, headers: { "X-Service-Auth": key } };
    },
    elapsedMs() {
      const lines = readFileSync(`${probe}.log`, "utf8").trim().split("\n");
      const further = lines.slice(linesRead);
      linesRead = lines.length;
      return further.map((line) => (JSON.parse(line) as { elapsedMs: number }).elapsedMs);
    },
    async delays() {
      const socket = connect(probe);
      await once(socket, "connect");
      return JSON.parse(await text(socket)) as Delays;
    },
    stop,
  };
}
