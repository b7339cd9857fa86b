import { once } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import { contextOf, KEEP_ALIVE_PROBE_MS, type TlsIdentity } from "../node-server.ts";
import { closeAfter } from "../request/parser-errors.ts";
import type { Route } from "../route.ts";
import { answerCall, type CallDependencies } from "./answer-call.ts";

/** Loaded only where gRPC is served: that takes up to 90 ms. */
const loadHttp2 = (): typeof import("node:http2") =>
  createRequire(import.meta.url)("node:http2") as typeof import("node:http2");

/** Unary calls at once of one connection; HTTP/2 asks for at least 100. */
const CALLS_PER_CONNECTION_MAX = 100;

/** Routes by their `grpcPath`, served by gRPC. */
export interface GrpcServer {
  readonly node: Server;
  isBusy(socket: Socket): boolean;
  /** Returns host and port. */
  listen(): Promise<string>;
  /** Accepts no more calls, waits at most `drainMs` for those in progress, then closes all connections. */
  close(): Promise<void>;
}

/** HTTP/2 without negotiation in clear, or by ALPN with TLS. */
export function createGrpcServer(
  routes: readonly Route[],
  tls: TlsIdentity | undefined,
  dependencies: CallDependencies,
): GrpcServer {
  const { settings, connections, log } = dependencies;
  const { performServerHandshake } = loadHttp2();
  const methods = new Map(
    routes.flatMap((route) =>
      route.grpcPath === undefined ? [] : [[route.grpcPath, route] as const],
    ),
  );
  const sessions = new Map<Socket, ServerHttp2Session>();
  /** Those whose client has not spoken HTTP/2 yet, which they must within a time. */
  const opening = new Map<ServerHttp2Session, NodeJS.Timeout>();
  const calls = new Map<Socket, number>();

  const admitSocket = (socket: Socket): void => {
    const session = performServerHandshake(socket, {
      settings: {
        enablePush: false,
        maxConcurrentStreams: CALLS_PER_CONNECTION_MAX,
        maxHeaderListSize: settings.headerBytesMax,
      },
    });
    sessions.set(socket, session);
    socket.once("close", () => {
      sessions.delete(socket);
      calls.delete(socket);
    });
    opening.set(
      session,
      setTimeout(() => socket.destroy(), settings.headersTimeoutMs),
    );
    const opened = (): void => {
      clearTimeout(opening.get(session));
      opening.delete(session);
    };
    session.once("remoteSettings", opened);
    session.once("close", opened);
    // A session that has ended ends only its own side.
    socket.once("finish", () => closeAfter(socket, settings.lingerMs));
    session.on("error", (error) => {
      log.info({ address: socket.remoteAddress, reason: error.message }, "unreadable");
    });
    session.on("stream", async (stream, headers, _flags, rawHeaders) => {
      calls.set(socket, (calls.get(socket) ?? 0) + 1);
      await answerCall({ stream, headers, rawHeaders, socket }, methods, dependencies);
      const left = (calls.get(socket) ?? 1) - 1;
      if (left > 0) {
        calls.set(socket, left);
        return;
      }
      calls.delete(socket);
      connections.rest(socket);
    });
  };

  const options = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS, noDelay: true };
  const node =
    tls === undefined
      ? createServer(options, admitSocket)
      : createSecureServer(
          {
            ...options,
            ...contextOf(tls),
            handshakeTimeout: settings.headersTimeoutMs,
            ALPNProtocols: ["h2"],
          },
          admitSocket,
        );
  return {
    node,
    isBusy: (socket) => calls.has(socket),
    async listen() {
      node.listen(settings.otlpGrpcPort, settings.host);
      await once(node, "listening");
      const { address, family, port } = node.address() as AddressInfo;
      return `${family === "IPv6" ? `[${address}]` : address}:${port}`;
    },
    async close() {
      const closed = new Promise((resolve) => node.close(resolve));
      for (const session of sessions.values()) {
        if (opening.has(session)) session.destroy();
        else session.close();
      }
      const deadline = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, settings.drainMs);
      await closed;
      clearTimeout(deadline);
    },
  };
}
