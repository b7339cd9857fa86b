import type { Server, Socket } from "node:net";
import { type AddressCheck, networkOf } from "./client-address.ts";

interface ConnectionRules {
  readonly max: number;
  /** Per address. A trusted proxy's connection counts for the client whose request it carries. */
  readonly perAddressMax: number;
  readonly isTrustedProxy: AddressCheck;
  readonly isBusy: (socket: Socket) => boolean;
  readonly closed: (reason: ClosedFor) => void;
}

export type ClosedFor = "connectionsMax" | "connectionsPerAddressMax";

interface Connection {
  /** With TLS, the TLS socket once it exists. */
  socket: Socket;
  /** Client address; `undefined` for an idle connection of a trusted proxy. */
  owner: string | undefined;
}

/**
 * The open connections of a server. At the limit, a new one replaces the one that has been idle (no
 * request in flight) for longest, so that idle clients lock nobody out.
 */
export class Connections {
  readonly #rules: ConnectionRules;
  /** By the socket that requests come from, longest idle first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #byOwner = new Map<string, number>();

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#admit(socket));
    // With TLS, a connection is reported twice, the second time as a TLS socket.
    server.on("secureConnection", (socket: Socket) => {
      const peer = peerOf(socket);
      const connection = this.#open.values().find((each) => peerOf(each.socket) === peer);
      if (connection === undefined) return;
      this.#open.delete(connection.socket);
      connection.socket = socket;
      this.#open.set(socket, connection);
    });
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#open.keys();
  }

  /** Records the start of a request. Returns whether its client exceeds its limit through a trusted proxy. */
  begin(socket: Socket, address: string): boolean {
    const { perAddressMax, isTrustedProxy } = this.#rules;
    if (!isTrustedProxy(socket.remoteAddress ?? "")) return false;
    const connection = this.#open.get(socket);
    if (connection === undefined) return false;
    this.#setOwner(connection, networkOf(address));
    return this.#countOf(connection) > perAddressMax;
  }

  rest(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    this.#open.set(socket, connection);
    if (this.#rules.isTrustedProxy(socket.remoteAddress ?? "")) {
      this.#setOwner(connection, undefined);
    }
  }

  #admit(socket: Socket): void {
    const { max, perAddressMax, isTrustedProxy } = this.#rules;
    const address = socket.remoteAddress;
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, owner: undefined };
    this.#open.set(socket, connection);
    socket.once("close", () => this.#forget(connection));
    if (!isTrustedProxy(address)) this.#setOwner(connection, networkOf(address));
    if (this.#countOf(connection) > perAddressMax) {
      this.#makeRoom(connection, "connectionsPerAddressMax");
    } else if (this.#open.size > max) this.#makeRoom(connection, "connectionsMax");
  }

  /** Closes the connection that has been idle for longest, or the new one if none is idle. */
  #makeRoom(newcomer: Connection, reason: ClosedFor): void {
    const isCandidate = (connection: Connection): boolean =>
      (reason === "connectionsMax" || connection.owner === newcomer.owner) &&
      !this.#rules.isBusy(connection.socket);
    for (const connection of this.#open.values()) {
      if (connection !== newcomer && !isCandidate(connection)) continue;
      this.#forget(connection);
      connection.socket.destroy();
      this.#rules.closed(reason);
      return;
    }
  }

  #forget(connection: Connection): void {
    if (!this.#open.delete(connection.socket)) return;
    this.#setOwner(connection, undefined);
  }

  #countOf({ owner }: Connection): number {
    return owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0);
  }

  #setOwner(connection: Connection, owner: string | undefined): void {
    const count = this.#countOf(connection);
    if (connection.owner !== undefined) {
      if (count > 1) this.#byOwner.set(connection.owner, count - 1);
      else this.#byOwner.delete(connection.owner);
    }
    connection.owner = owner;
    if (owner !== undefined) this.#byOwner.set(owner, this.#countOf(connection) + 1);
  }
}

/** A client may use one port of its own for several ports of the server. */
function peerOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
