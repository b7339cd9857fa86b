/** A server for pipelines, and folders for their jobs. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { createJob, type Job } from "./hosting.ts";

export interface PipelinePlace {
  /** The settings of each pipeline. */
  readonly settings: { readonly TACHOGRAPH_URL: string; readonly TACHOGRAPH_KEY: string };
  /** A job of this name whose load test took `factor` times as long, `hour` hours later. */
  jobWith(name: string, factor: number, file?: string, hour?: number): Job;
  /** Load tests with this tag, the latest first. */
  idsTagged(tag: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openPipelinePlace(): Promise<PipelinePlace> {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-pipelines-"));
  const data = ["--data", path.join(folder, "data")];
  const scope = ["--scope", "read,write"];
  const made = await runTachograph(["keys", "create", "--name", "ci", ...scope, ...data]);
  const server = startTachograph(["serve", "--port", "0", ...data]);
  const greeting = await server.printed("answers at http://127.0.0.1:");
  const url = /http:\S+/.exec(greeting)?.[0] ?? "";
  const key = made.out.trim();
  return {
    settings: { TACHOGRAPH_URL: url, TACHOGRAPH_KEY: key },
    jobWith(name, factor, file = "results.jtl", hour = 0) {
      const own = path.join(folder, name);
      mkdirSync(own);
      writeFileSync(path.join(own, file), resultsOf(factor, hour));
      return createJob(own);
    },
    async idsTagged(tag) {
      const words = ["tests", "list", "--tag", tag, "--json", "--url", url, "--key", key];
      const { out } = await runTachograph(words);
      return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
    },
    async close() {
      server.process.kill("SIGTERM");
      await server.outcome;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Four requests a second for five minutes, of 20 to 29 ms times `factor`. */
export function resultsOf(factor: number, hour = 0): string {
  const rows = Array.from({ length: 1200 }, (_, index) => {
    const elapsed = Math.round((20 + ((index * 7) % 10)) * factor);
    return `${1_700_000_000_000 + hour * 3_600_000 + index * 250},${elapsed},GET /cart,200,OK,true\n`;
  });
  return `timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows.join("")}`;
}
