import { spawnSync } from "node:child_process";

/** Runs a command of an installation and answers its output. Throws, with its last words, if it fails. */
export function installCommand(command: string, words: readonly string[], folder: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (error !== undefined) throw new Error(`cannot run ${command}: ${error.message}`);
  if (status === 0) return stdout;
  const lastWords = (stderr.trim() || stdout.trim()).split("\n").slice(-5).join("\n");
  throw new Error(`${command} ${words.slice(0, 3).join(" ")} failed: ${lastWords}`);
}
