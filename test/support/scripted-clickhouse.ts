import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AddressInfo, Socket } from "node:net";

export interface ScriptedRequest {
  /** The statement, wherever it stood. */
  readonly sql: string;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a server does with a request. "reset" breaks the connection, "silence" says nothing. */
export type ScriptedAnswer =
  | "reset"
  | "silence"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      /** Whether the connection breaks behind the body. @default false */
      readonly isCut?: boolean;
    };

export interface ScriptedServer {
  readonly url: string;
  /** All requests but those for what the server can do. */
  readonly requests: readonly ScriptedRequest[];
  /** How often it was asked what it can do. */
  readonly factsAsked: number;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** Settings that it says it knows. */
const SETTINGS = [
  "insert_deduplicate",
  "insert_quorum",
  "insert_quorum_timeout",
  "max_query_size",
  "read_overflow_mode",
];

/**
 * A server that stands in for ClickHouse: it answers each request as `answer` says, except that it
 * tells itself what it can do.
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
  // Longer than any test: none may pass because a connection was idle.
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

/** An exception as servers of today tell of it. */
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
