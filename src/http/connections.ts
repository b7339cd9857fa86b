import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type AddressCheck, networkOf } from "./client-address.ts";

/** What connections are held against, and who is told of those that it closes. */
interface ConnectionRules {
  readonly max: number;
  /** Of one address; those of trusted proxies count for their clients, while they ask. */
  readonly perAddressMax: number;
  readonly isTrustedProxy: AddressCheck;
  /** Whether a request is being answered on a connection. */
  readonly isBusy: (socket: Socket) => boolean;
  /** Told of each connection that was closed for another one, or for lack of room. */
  readonly closed: (reason: ClosedFor) => void;
}

/** A limit that a connection was closed for. */
export type ClosedFor = "connectionsMax" | "connectionsPerAddressMax";

interface Connection {
  /** With TLS, that of what is sent over it, once there is one. */
  socket: Socket;
  /** Whose connection it is; `undefined` for one of a trusted proxy on which nobody asks. */
  owner: string | undefined;
}

/**
 * The open connections of a server. A new one that finds no room takes the place of the one that
 * has been silent (no request under way) for longest, so that idle clients keep nobody out.
 */
export class Connections {
  readonly #rules: ConnectionRules;
  /** By address and port, the one that has been silent for longest first. */
  readonly #open = new Map<string, Connection>();
  readonly #byOwner = new Map<string, number>();

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  /** Follows the connections of a server from now on. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#admit(socket));
    // With TLS a connection is told of twice, the second time as what is sent over it.
    server.on("secureConnection", (socket: Socket) => {
      const connection = this.#open.get(peerOf(socket));
      if (connection !== undefined) connection.socket = socket;
    });
  }

  *[Symbol.iterator](): Generator<Socket> {
    for (const { socket } of this.#open.values()) yield socket;
  }

  /** A request of a client begins. Answers whether a trusted proxy has too many of this client. */
  begin(socket: Socket, address: string): boolean {
    const { perAddressMax, isTrustedProxy } = this.#rules;
    if (!isTrustedProxy(socket.remoteAddress ?? "")) return false;
    const connection = this.#open.get(peerOf(socket));
    if (connection === undefined) return false;
    this.#setOwner(connection, networkOf(address));
    return this.#countOf(connection) > perAddressMax;
  }

  /** The last request of a connection was answered. */
  rest(socket: Socket): void {
    const peer = peerOf(socket);
    const connection = this.#open.get(peer);
    if (connection === undefined) return;
    this.#open.delete(peer);
    this.#open.set(peer, connection);
    if (this.#rules.isTrustedProxy(socket.remoteAddress ?? "")) {
      this.#setOwner(connection, undefined);
    }
  }

  #admit(socket: Socket): void {
    const { max, perAddressMax, isTrustedProxy } = this.#rules;
    const peer = peerOf(socket);
    const address = socket.remoteAddress;
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, owner: undefined };
    this.#open.set(peer, connection);
    socket.once("close", () => this.#forget(peer, connection));
    if (!isTrustedProxy(address)) this.#setOwner(connection, networkOf(address));
    if (this.#countOf(connection) > perAddressMax) {
      this.#makeRoom(connection, "connectionsPerAddressMax");
    } else if (this.#open.size > max) this.#makeRoom(connection, "connectionsMax");
  }

  /** Closes the connection that has been silent for longest, or the newcomer where there is none. */
  #makeRoom(newcomer: Connection, reason: ClosedFor): void {
    const isCandidate = (connection: Connection): boolean =>
      (reason === "connectionsMax" || connection.owner === newcomer.owner) &&
      !this.#rules.isBusy(connection.socket);
    for (const [peer, connection] of this.#open) {
      if (connection !== newcomer && !isCandidate(connection)) continue;
      this.#forget(peer, connection);
      connection.socket.destroy();
      this.#rules.closed(reason);
      return;
    }
  }

  #forget(peer: string, connection: Connection): void {
    if (this.#open.get(peer) !== connection) return;
    this.#open.delete(peer);
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

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
