import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { randomFrom } from "../../support/dense-points.ts";
import { temporaryDirectory } from "../../support/store-directory.ts";
import { DiskImage, replayCut } from "./disk-image.ts";
import type { DiskEvent } from "./recording.ts";

test("a file that was synced keeps its name, whichever file had the name before", () => {
  const folder = path.join(temporaryDirectory(), "empty");
  mkdirSync(folder);
  const bytes = Buffer.from("frames");
  const events: readonly DiskEvent[] = [
    { kind: "names", file: "log", names: { log: "log" }, number: 0 },
    { kind: "names", file: "log", names: { log: undefined }, number: 1 },
    { kind: "names", file: "log#1", names: { log: "log#1" }, number: 2 },
    { kind: "write", file: "log#1", at: 0, bytes, number: 3 },
    { kind: "sync", file: "log#1", begun: 4, number: 4 },
  ];
  for (let seed = 0; seed < 50; seed++) {
    const image = replayCut(DiskImage.of(folder), events, randomFrom(seed));
    expect(image.bytesOf("log")?.toString()).toBe("frames");
  }
});
