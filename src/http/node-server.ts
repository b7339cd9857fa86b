import type { RequestListener, Server, ServerOptions } from "node:http";
import { type Server as SecureServer, createServer as createSecureServer } from "node:https";
import { createRequire } from "node:module";
import type { HttpSettings } from "./settings.ts";

/**
 * Node's module as `require` answers it: to import something of it looks at everything that it exports,
 * and so loads the client of Node, too, which takes a twentieth of a second.
 */
export const nodeHttp = createRequire(import.meta.url)("node:http") as typeof import("node:http");

/** What a server proves itself with: PEM texts, the certificate with those between it and the root. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Older versions are broken, and nobody needs them any more. */
const TLS_VERSION_MIN = "TLSv1.2";

/** A peer that vanished without a word is noticed ten probes, a second apart, after this time. */
const KEEP_ALIVE_PROBE_MS = 60_000;

/** Makes the server of Node, with TLS where there is an identity. */
export function createNodeServer(
  settings: HttpSettings,
  tls: TlsIdentity | undefined,
  handler: RequestListener,
): Server {
  const options: ServerOptions = {
    maxHeaderSize: settings.headerBytesMax,
    headersTimeout: settings.headersTimeoutMs,
    // Bodies may take long; whoever reads one watches that it goes on.
    requestTimeout: 0,
    connectionsCheckingInterval: settings.timeoutCheckMs,
    keepAliveTimeout: settings.keepAliveMs,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    // Its absence is answered like all other errors, with a body.
    requireHostHeader: false,
  };
  const handshake = { handshakeTimeout: settings.headersTimeoutMs };
  const server =
    tls === undefined
      ? nodeHttp.createServer(options, handler)
      : createSecureServer({ ...options, ...handshake, ...contextOf(tls) }, handler);
  server.maxRequestsPerSocket = settings.requestsPerConnectionMax;
  // Without these, Node says "go on" to senders before their key was looked at.
  server.on("checkContinue", handler);
  server.on("checkExpectation", handler);
  return server;
}

/** Shows another certificate to connections that come from now on. */
export function renewIdentity(server: Server, tls: TlsIdentity): void {
  (server as SecureServer).setSecureContext(contextOf(tls));
}

/** What Node makes of it. */
export function contextOf({ certificate, key }: TlsIdentity) {
  return { cert: certificate, key, minVersion: TLS_VERSION_MIN } as const;
}
