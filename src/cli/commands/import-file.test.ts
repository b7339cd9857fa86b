import { expect, test } from "vitest";
import { showProgress } from "./import-file.ts";

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let chunk = 0; chunk < 4; chunk++) yield new Uint8Array(250_000_000 / 1000);
}

async function followed(errorIsTerminal: boolean, sizeBytes?: number): Promise<string> {
  let written = "";
  let nowMs = 0;
  const context = {
    terminal: { errorIsTerminal, columns: 80 },
    writeError: (text: string) => void (written += text),
    now: () => (nowMs += 100),
  };
  const progress = showProgress(context, "run.jtl", sizeBytes);
  let readBytes = 0;
  for await (const chunk of progress.follow(chunks())) readBytes += chunk.length;
  expect(readBytes).toBe(1_000_000);
  progress.clear();
  return written;
}

test("on a terminal it shows bytes, rate and time left, then clears the line", async () => {
  expect(await followed(true, 2_000_000)).toBe(
    "\r\u001b[Krun.jtl: 500 kB of 2.00 MB, 2.50 MB/s, 0.6 s left" +
      "\r\u001b[Krun.jtl: 1.00 MB of 2.00 MB, 2.50 MB/s, 0.4 s left\r\u001b[K",
  );
});

test("progress of a server is shown as it reports it", () => {
  let written = "";
  let nowMs = 0;
  const context = {
    terminal: { errorIsTerminal: true, columns: 80 },
    writeError: (text: string) => void (written += text),
    now: () => (nowMs += 100),
  };
  const progress = showProgress(context, "run.jtl", 2_000_000);
  for (const readBytes of [250_000, 500_000]) progress.report(readBytes);
  expect(written).toBe("\r\u001b[Krun.jtl: 500 kB of 2.00 MB, 2.50 MB/s, 0.6 s left");
});

test("of a pipe it shows bytes and rate", async () => {
  expect(await followed(true)).toContain("run.jtl: 500 kB, 2.50 MB/s\r");
});

test("without a terminal it shows nothing", async () => {
  expect(await followed(false, 2_000_000)).toBe("");
});
