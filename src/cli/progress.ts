import { formatBytes, formatDuration } from "./format-quantity.ts";
import type { Shell } from "./shell.ts";

const REFRESH_MS = 200;

/** Shows on a terminal how far reading has come: bytes, rate, time left. Silent elsewhere. */
export interface Progress {
  /** Passes chunks on and counts them. */
  follow(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Says how much was read until now, where no chunks are followed. */
  tell(readBytes: number): void;
  /** Takes the line away. */
  clear(): void;
}

export function showProgress(
  shell: Pick<Shell, "writeError" | "errorIsTerminal" | "now">,
  name: string,
  sizeBytes: number | undefined,
): Progress {
  if (!shell.errorIsTerminal) return { follow: (chunks) => chunks, tell() {}, clear() {} };
  const startedAtMs = shell.now();
  let shownAtMs = startedAtMs;
  const tell = (readBytes: number): void => {
    const nowMs = shell.now();
    if (nowMs - shownAtMs < REFRESH_MS) return;
    shownAtMs = nowMs;
    const line = progressLine(name, { readBytes, sizeBytes, elapsedMs: nowMs - startedAtMs });
    shell.writeError(`\r\u001b[K${line}`);
  };
  return {
    async *follow(chunks) {
      let readBytes = 0;
      for await (const chunk of chunks) {
        readBytes += chunk.length;
        tell(readBytes);
        yield chunk;
      }
    },
    tell,
    clear() {
      if (shownAtMs > startedAtMs) shell.writeError("\r\u001b[K");
    },
  };
}

interface ReadSoFar {
  readonly readBytes: number;
  readonly sizeBytes: number | undefined;
  readonly elapsedMs: number;
}

/** One line such as `run.jtl: 1.2 of 4.9 GB, 390 MB/s, 9 s left`. */
function progressLine(name: string, { readBytes, sizeBytes, elapsedMs }: ReadSoFar): string {
  const bytesPerMs = readBytes / Math.max(1, elapsedMs);
  const rate = `${formatBytes(bytesPerMs * 1000)}/s`;
  if (sizeBytes === undefined) return `${name}: ${formatBytes(readBytes)}, ${rate}`;
  const leftMs = bytesPerMs === 0 ? 0 : Math.max(0, sizeBytes - readBytes) / bytesPerMs;
  const left = formatDuration(leftMs);
  return `${name}: ${formatBytes(readBytes)} of ${formatBytes(sizeBytes)}, ${rate}, ${left} left`;
}
