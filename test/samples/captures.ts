import { readFixture } from "./fixtures.ts";

/** One HTTP request that a tool sent to a fake InfluxDB. */
export interface CapturedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The requests of a capture in their order. */
export function readCapture(file: string): readonly CapturedRequest[] {
  const lines = Buffer.from(readFixture(file)).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line) as CapturedRequest);
}

/** Everything the tool of a capture sent, as one file of line protocol. */
export function linesOf(capture: readonly CapturedRequest[]): string {
  return capture
    .filter(({ path }) => path === "/write")
    .map(({ body }) => body)
    .join("");
}
