import type { IncomingMessage, ServerResponse } from "node:http";
import type { Problem } from "./problem.ts";

/**
 * Answers a request whose body nobody will read, then closes the connection. The answer is on its
 * way at once; the rest of the body is thrown away for at most `lingerMs` before the connection is
 * closed, because closing it on a client that is still sending makes many of them lose the answer.
 */
export async function respondEarly(
  request: IncomingMessage,
  response: ServerResponse,
  { problem, lingerMs }: { readonly problem: Problem; readonly lingerMs: number },
): Promise<void> {
  const { status, headers, body } = problem;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...headers, "Content-Length": length, Connection: "close" });
  if (request.method !== "HEAD") response.write(body);
  await discarded(request, response, lingerMs);
  response.end();
}

function discarded(
  request: IncomingMessage,
  response: ServerResponse,
  lingerMs: number,
): Promise<void> {
  // Whoever read a part of the body listens no more.
  request.removeAllListeners("readable");
  request.on("error", () => undefined);
  request.resume();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (request.readableEnded || response.closed) end();
    request.once("end", end);
    response.once("close", end);
  });
}
