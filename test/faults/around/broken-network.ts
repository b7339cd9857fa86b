import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** What the network does to a connection. */
export type Trouble = "none" | "reset" | "half-close" | "bytewise" | "stall";

export interface TroubledConnection {
  readonly trouble: Trouble;
  /**
   * The trouble begins after this many bytes from the server; 0: with the first byte from the client.
   */
  readonly afterBytes: number;
  readonly stallMs: number;
}

/** This many bytes of each chunk are sent one at a time. */
const SINGLE_BYTES = 400;

/**
 * A network between clients and a server on this machine. `next` chooses the trouble of each new connection;
 * connections are counted from 0.
 */
export class BrokenNetwork implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #accepted = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(
    port: number,
    next: (connection: number) => TroubledConnection,
  ): Promise<BrokenNetwork> {
    const server = createServer({ allowHalfOpen: true });
    const network = new BrokenNetwork(server);
    server.on("connection", (client) => {
      const upstream = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      network.#join(client, upstream, next(network.#accepted++));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return network;
  }

  /** The port that clients connect to. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Sockets that are open now, on both sides. */
  get open(): number {
    return this.#sockets.size;
  }

  #join(client: Socket, upstream: Socket, about: TroubledConnection): void {
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    const passage = new Passage(client, upstream, about);
    void passage.carry(client, upstream, "request");
    void passage.carry(upstream, client, "answer");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

class Passage {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #about: TroubledConnection;
  #answered = 0;
  #isTroubled = false;

  constructor(client: Socket, upstream: Socket, about: TroubledConnection) {
    this.#client = client;
    this.#upstream = upstream;
    this.#about = about;
  }

  /** Forwards all bytes in one direction, until the trouble begins. */
  async carry(from: Socket, to: Socket, what: "request" | "answer"): Promise<void> {
    try {
      for await (const piece of from) {
        const bytes = piece as Buffer;
        if (what === "answer") this.#answered += bytes.length;
        if (this.#isDue(what)) await this.#trouble(what);
        await this.#pass(bytes, to);
      }
      to.end();
    } catch {
      // One side is closed; its close handler closes the other.
    }
  }

  #isDue(what: "request" | "answer"): boolean {
    const { trouble, afterBytes } = this.#about;
    if (trouble === "none" || this.#isTroubled) return false;
    return what === "request" ? afterBytes === 0 : this.#answered > afterBytes;
  }

  async #trouble(what: "request" | "answer"): Promise<void> {
    this.#isTroubled = true;
    const { trouble, stallMs } = this.#about;
    if (trouble === "stall") await setTimeout(stallMs);
    if (trouble === "reset") {
      this.#client.resetAndDestroy();
      this.#upstream.resetAndDestroy();
    }
    if (trouble === "half-close") (what === "request" ? this.#upstream : this.#client).end();
  }

  async #pass(bytes: Buffer, to: Socket): Promise<void> {
    const isSplit = this.#about.trouble === "bytewise";
    const single = isSplit ? Math.min(bytes.length, SINGLE_BYTES) : 0;
    for (let at = 0; at < single; at++) {
      to.write(bytes.subarray(at, at + 1));
      // Waits for a turn of the event loop, so that each byte is a segment of its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (single < bytes.length && !to.write(bytes.subarray(single))) await once(to, "drain");
  }
}
