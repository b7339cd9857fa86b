import { spawn } from "node:child_process";
import { once } from "node:events";
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
