import type { IncomingHttpHeaders } from "node:http";

/** All of an answer. */
export async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = [];
  for await (const piece of pieces) held.push(piece);
  return Buffer.concat(held).toString("utf8");
}

/**
 * The number of the exception that an answer tells of. New servers say it in a header too; the text is
 * "Code: 60. DB::Exception: …", or "Code: 60, e.displayText() = DB::Exception: …" of old ones.
 */
export function exceptionCode(headers: IncomingHttpHeaders, text: string): number | undefined {
  const header = headers["x-clickhouse-exception-code"];
  const found =
    typeof header === "string" && /^\d+$/.test(header)
      ? header
      : /\bCode: (\d+)[.,] (?:DB::|e\.)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** What the network says, in a few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Several addresses of one host, of which none answers, make an error without a message.
  if (error.message === "" && "code" in error) return String(error.code);
  return error.message;
}
