import { afterAll, afterEach, beforeAll } from "vitest";
import { Lab, type Layout } from "./lab.ts";

/**
 * Starts a lab before the tests of this file or `describe` and stops it afterwards. If a test fails, the logs
 * are kept and their folder is printed.
 */
export function labForTests(layout: Layout): () => Lab {
  let lab: Lab | undefined;
  let hasFailed = false;
  beforeAll(async () => {
    lab = await Lab.start(layout);
  });
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === "fail";
  });
  afterAll(async () => {
    await lab?.stop(hasFailed ? "keep logs" : "remove");
    if (hasFailed) console.error(`the logs of the servers: ${lab?.folder}`);
  });
  return () => {
    if (lab === undefined) throw new Error("BUG: the lab was asked for before it was started");
    return lab;
  };
}
