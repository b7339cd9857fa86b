import { afterAll, afterEach, beforeAll } from "vitest";
import { Lab, type Layout } from "./lab.ts";

/**
 * A lab for the tests of a file, or of the `describe` that calls this: it starts before them, and
 * stops after them. Where one of them failed its logs are kept, and where they are is told.
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
