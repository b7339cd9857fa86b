import type { RequestListener, Server, ServerOptions } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { nodeHttp } from "./node-http.ts";
import type { HttpSettings } from "./settings.ts";

/** What a server proves itself with: PEM texts, the certificate with those between it and the root. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Older versions are broken, and nobody needs them any more. */
const TLS_VERSION_MIN = "TLSv1.2";

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
    // Its absence is answered like all other errors, with a body.
    requireHostHeader: false,
  };
  const handshake = { handshakeTimeout: settings.headersTimeoutMs };
  const server =
    tls === undefined
      ? nodeHttp.createServer(options, handler)
      : createSecureServer({ ...options, ...handshake, ...contextOf(tls) }, handler);
  server.maxConnections = settings.connectionsMax;
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
