import { addressOf } from "../client/tachograph.ts";
import type { Api } from "../client/api.ts";
import { ANSWERS } from "../client/generated/answers.ts";
import { OPERATIONS } from "../client/generated/operations.ts";
import { UserError } from "../model/errors.ts";
import { isId } from "../model/id.ts";
import { unknownLoadTest } from "../model/load-test.ts";
import type { ServerCalls } from "./server-calls.ts";

/** The API of a server, a request per operation. Also throws what `ServerCalls` throws. */
export function openServerApi(calls: ServerCalls): Api {
  const api: Pick<Api, "open"> & { ask(...call: Call): Promise<unknown> } = {
    async ask(name, parameters, body) {
      const { method } = OPERATIONS[name];
      const path = pathOf(name, parameters);
      const schema = ANSWERS[name]?.schema;
      if (method === "GET" && schema !== undefined) return calls.read(path, schema);
      const sent = body instanceof ReadableStream ? { body } : body && { members: body };
      const call = { method, path, ...sent };
      return schema === undefined ? calls.call(call) : calls.request(call, schema);
    },
    async *open(name, parameters, signal) {
      const type = ANSWERS[name]?.mediaType ?? "";
      yield* complete(await calls.open(pathOf(name, parameters), type, signal), ENDS[type] ?? "");
    },
  };
  return api as Api;
}

type Call = [name: keyof typeof OPERATIONS, parameters: object, body?: object];

/** Parameters that are ids. */
const IDS: ReadonlySet<string> = new Set(["id", "base", "since", "upTo"]);

/** Throws `unknown-load-test` for an invalid id, which could stand for another path. */
function pathOf(name: Call[0], parameters: object): string {
  for (const [parameter, value] of Object.entries(parameters)) {
    if (IDS.has(parameter) && value !== undefined && !isId(String(value))) {
      throw unknownLoadTest(String(value));
    }
  }
  return addressOf(OPERATIONS[name].path, parameters);
}

/** How a response of a media type ends. */
const ENDS: Readonly<Record<string, string>> = {
  "application/json": "]",
  "application/vnd.apache.parquet": "PAR1",
  "text/html": "</html>",
};

/**
 * Yields the chunks of a response that ends with `end` and perhaps blanks. Throws `server-unreachable` after the last one if that
 * is missing: not every proxy reports a broken connection.
 */
export async function* complete(
  chunks: AsyncIterable<Uint8Array>,
  end: string,
): AsyncGenerator<Uint8Array> {
  let last = Buffer.alloc(0);
  for await (const chunk of chunks) {
    last = Buffer.concat([last, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES);
    yield chunk;
  }
  if (last.toString("latin1").trimEnd().endsWith(end)) return;
  throw new UserError("server-unreachable", "the response of the server is truncated");
}

/** Bytes to remember of the end of a response. */
const END_BYTES = 32;
