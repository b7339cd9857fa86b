import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { openLoadProcess } from "./load-process.ts";

test.skipIf(process.platform !== "linux")(
  "a process that has ended does not run, although what started it has not asked for it",
  async () => {
    // The second `sleep` never asks how the first one ended.
    const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 30"]);
    const [pid] = (await once(parent.stdout, "data")) as [Buffer];
    const load = openLoadProcess((of, signal) => process.kill(of, signal));
    expect(load.isRunning(Number(pid.toString()))).toBe(true);
    await vi.waitFor(() => expect(load.isRunning(Number(pid.toString()))).toBe(false), 5000);
    parent.kill();
  },
);

test("what a stop command prints is not among the results", async () => {
  const module = JSON.stringify(new URL("load-process.ts", import.meta.url).href);
  const code = `import { openLoadProcess } from ${module};
    console.log(await openLoadProcess(process.kill).runCommand("echo words"));`;
  const ended = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
  expect(ended).toEqual({ stdout: "undefined\n", stderr: "words\n" });
});
