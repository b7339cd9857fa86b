import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createRequire } from "node:module";
import type { Server as NetServer } from "node:net";
import type { Server as SecureServer } from "node:tls";
import type { HttpSettings } from "./settings.ts";

/**
 * Loaded by `require`: an `import` would read all exports and so load Node's HTTP client, too, which
 * takes 50 ms.
 */
export const nodeHttp = createRequire(import.meta.url)("node:http") as typeof import("node:http");

/** PEM texts; the certificate with its intermediates. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Older versions are insecure. */
const TLS_VERSION_MIN = "TLSv1.2";

/** A vanished peer is detected ten probes, one second apart, after this time. */
export const KEEP_ALIVE_PROBE_MS = 60_000;

export function createNodeServer(
  settings: HttpSettings,
  tls: TlsIdentity | undefined,
  handler: RequestListener,
): Server {
  const options: ServerOptions = {
    maxHeaderSize: settings.headerBytesMax,
    headersTimeout: settings.headersTimeoutMs,
    // Bodies may take long; their readers detect stalls.
    requestTimeout: 0,
    connectionsCheckingInterval: settings.timeoutCheckMs,
    keepAliveTimeout: settings.keepAliveMs,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    // Requests without a body need no stream to read it from.
    optimizeEmptyRequests: true,
    // The pipeline rejects it in the common error format.
    requireHostHeader: false,
  };
  const handshake = { handshakeTimeout: settings.headersTimeoutMs };
  const server =
    tls === undefined
      ? nodeHttp.createServer(options, handler)
      : createSecureServer({ ...options, ...handshake, ...contextOf(tls) }, handler);
  server.maxRequestsPerSocket = settings.requestsPerConnectionMax;
  // Without these, Node sends "100 Continue" before the key is checked.
  server.on("checkContinue", handler);
  server.on("checkExpectation", handler);
  return server;
}

/** Uses another certificate for new connections. */
export function renewIdentity(server: NetServer, tls: TlsIdentity): void {
  (server as SecureServer).setSecureContext(contextOf(tls));
}

export function contextOf({ certificate, key }: TlsIdentity) {
  return { cert: certificate, key, minVersion: TLS_VERSION_MIN } as const;
}
