import { spawnSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** What figures depend on, with the commit of the program where there is one: one sentence. */
export function describeMachine(now: Date): string {
  const processors = cpus();
  const model = processors[0]?.model.replaceAll(/\s+/g, " ").trim() ?? "unknown processor";
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const day = now.toISOString().slice(0, 16).replace("T", " ");
  return (
    `${day} UTC, ${processors.length} cores (${model}), ${memory}, ${type()} ${release()}, ` +
    `Node ${process.versions.node} (SQLite ${process.versions["sqlite"] ?? "unknown"}), ` +
    `Tachograph at ${commitOf(import.meta.dirname) ?? "no commit"}`
  );
}

/** The commit that a checkout is at; `undefined` where git does not know. */
export function commitOf(checkout: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: checkout,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Work of others that disturbs: the load average of the last minute. */
export function loadAverage(): number {
  return loadavg()[0] ?? 0;
}
