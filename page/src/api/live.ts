import { openStream } from "./client.ts";
import type { LoadTestDetail } from "./load-tests.ts";

/** Follows a load test until it is over. Throws `ApiError`, or the abort's error. */
export async function followLoadTest(
  id: string,
  signal: AbortSignal,
  take: (loadTest: LoadTestDetail) => void,
): Promise<void> {
  let rest = "";
  for await (const text of openStream(id, signal)) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^event: data\n(?:id: .*\n)?data: (.*)$/.exec(block)?.[1];
      if (data !== undefined) take(JSON.parse(data) as LoadTestDetail);
    }
  }
}
