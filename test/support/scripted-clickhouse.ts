import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AddressInfo, Socket } from "node:net";

export interface ScriptedRequest {
  /** The statement, from the URL or the body. */
  readonly sql: string;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the server does with a request. "reset" breaks the connection, "silence" sends nothing. */
export type ScriptedAnswer =
  | "reset"
  | "silence"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      /** Whether the connection breaks after the body. @default false */
      readonly isCut?: boolean;
    };

export interface ScriptedServer {
  readonly url: string;
  /** All requests except those for the server's capabilities. */
  readonly requests: readonly ScriptedRequest[];
  /** How often its capabilities were requested. */
  readonly factsAsked: number;
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** The settings that it claims to know. */
const SETTINGS = [
  "insert_deduplicate",
  "insert_quorum",
  "insert_quorum_timeout",
  "max_query_size",
  "read_overflow_mode",
];

/**
 * A stand-in for a ClickHouse server. `answer` decides on the response to each request; requests for its
 * capabilities are answered internally.
 */
export async function startScriptedServer(
  answer: (request: ScriptedRequest, response: ServerResponse) => ScriptedAnswer | undefined,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const sockets = new Set<Socket>();
  let factsAsked = 0;
  const server = createServer(async (request, response) => {
    const parameters = new URL(request.url ?? "", "http://x").searchParams;
    const body = await buffer(request);
    const sql = parameters.get("query") ?? body.toString();
    const asked = { sql, parameters, headers: request.headers, body };
    if (sql.includes("system.settings")) {
      factsAsked++;
      response.end(facts());
      return;
    }
    requests.push(asked);
    const given = answer(asked, response);
    if (given !== undefined) give(given, response);
  });
  // Longer than any test, so that no test passes because an idle connection was closed.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get factsAsked() {
      return factsAsked;
    },
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An exception in the format of current servers. */
export function exception(code: number, status = 500): ScriptedAnswer {
  return {
    status,
    body: `Code: ${code}. DB::Exception: scripted. (SCRIPTED) (version 26.7.2.1)\n`,
  };
}

function facts(): string {
  return ["version\t26.7.2.1", ...SETTINGS.map((name) => `setting\t${name}`), ""].join("\n");
}

function give(answer: ScriptedAnswer, response: ServerResponse): void {
  if (answer === "silence") return;
  if (answer === "reset") {
    response.socket?.destroy();
    return;
  }
  const { status = 200, headers = {}, body = "", isCut = false } = answer;
  response.writeHead(status, headers);
  if (isCut) response.write(body, () => response.socket?.destroy());
  else response.end(body);
}
