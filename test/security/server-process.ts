/** The real server as a child process, with keys and memory statistics. */

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  /** Host and port of gRPC; empty without `--otlp-grpc-port`. */
  readonly grpcAddress: string;
  /** Its data directory. */
  readonly data: string;
  readonly processId: number;
  /** Creates a key with the command line. */
  makeKey(scope: string, name?: string): Promise<string>;
  /** Resolves with the complete log once it contains `text`. */
  logged(text: string): Promise<string>;
  /** Resident memory now, and its peak since `forgetPeak`. */
  residentBytes(): number;
  peakBytes(): number;
  forgetPeak(): void;
  /** Stops it and removes its data. Returns its output. */
  stop(): Promise<string>;
}

/** Starts it with further flags; `--demo` adds a run. */
export async function startServer(...flags: readonly string[]): Promise<ServerProcess> {
  const data = await mkdtemp(path.join(tmpdir(), "tachograph-security-"));
  const running = startTachograph(["serve", "--port", "0", "--data", data, ...flags]);
  const greeting = await running.printed("http://").catch(async (error: unknown) => {
    await rm(data, { recursive: true });
    throw error;
  });
  const grpcAddress = /gRPC is received at (\S+)/.exec(greeting)?.[1] ?? "";
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? "";
  const processId = running.process.pid ?? 0;
  const about = `/proc/${processId}`;
  const bytesOf = (field: string): number => {
    const status = readFileSync(`${about}/status`, "utf8");
    return 1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]);
  };
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, bytesOf("VmRSS"));
  }, 20);
  return {
    url,
    port: Number(new URL(url).port),
    grpcAddress,
    data,
    processId,
    async makeKey(scope, name = `${scope}-key`) {
      const words = ["keys", "create", "--name", name, "--scope", scope, "--data", data];
      return (await runTachograph(words)).out.trim();
    },
    logged: (text) => running.logged(text),
    residentBytes: () => bytesOf("VmRSS"),
    peakBytes: () => Math.max(peak, bytesOf("VmRSS")),
    forgetPeak: () => void (peak = 0),
    async stop() {
      clearInterval(watch);
      running.process.kill("SIGTERM");
      const { out, error } = await running.outcome;
      await rm(data, { recursive: true });
      return out + error;
    },
  };
}
