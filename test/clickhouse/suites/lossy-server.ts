import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** Fate of a request to a server. Except for the first, the client cannot know it. */
const FATES = ["answered", "lost", "done, answer lost", "done, answered 500", "cut off"] as const;

type Fate = (typeof FATES)[number];

/** A server behind a network that loses requests and responses. */
export class LossyServer {
  /** Number of requests by fate. */
  readonly counts: Record<Fate, number> = {
    answered: 0,
    lost: 0,
    "done, answer lost": 0,
    "done, answered 500": 0,
    "cut off": 0,
  };
  /** Of requests that are not simply answered. */
  shareLost = 0;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #behind: URL;
  readonly #random: () => number;

  private constructor(behind: string, random: () => number) {
    this.#behind = new URL(behind);
    this.#random = random;
    this.#server = createServer((incoming, response) => {
      void this.#pass(incoming, response).catch(() => incoming.socket.destroy());
    });
  }

  static async before(url: string, random: () => number): Promise<LossyServer> {
    const lossy = new LossyServer(url, random);
    lossy.#server.listen(0, "127.0.0.1");
    await once(lossy.#server, "listening");
    return lossy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const fate = this.#nextFate();
    this.counts[fate]++;
    const body = await bytesOf(incoming);
    if (fate === "lost") return void incoming.socket.destroy();
    if (fate === "cut off") {
      await this.#sendHalf(incoming, body);
      return void incoming.socket.destroy();
    }
    const answer = await this.#ask(incoming, body);
    if (fate === "answered") {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      return void answer.pipe(response);
    }
    await bytesOf(answer);
    if (fate === "done, answer lost") return void incoming.socket.destroy();
    response
      .writeHead(500)
      .end("Code: 210. DB::Exception: Connection reset by peer. (NETWORK_ERROR)");
  }

  #nextFate(): Fate {
    if (this.#random() >= this.shareLost) return "answered";
    return FATES[1 + Math.floor(this.#random() * (FATES.length - 1))] as Fate;
  }

  async #ask(incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const outgoing = request(this.#target(incoming), this.#options(incoming, body));
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  }

  /** The connection breaks in the middle of the body. */
  async #sendHalf(incoming: IncomingMessage, body: Buffer): Promise<void> {
    const outgoing = request(this.#target(incoming), this.#options(incoming, body));
    const isOver = new Promise((resolve) => outgoing.once("close", resolve).once("error", resolve));
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
    await isOver;
  }

  #target({ url }: IncomingMessage): URL {
    return new URL(url ?? "/", this.#behind);
  }

  #options({ method, headers }: IncomingMessage, body: Buffer) {
    const { host: _, "transfer-encoding": __, ...kept } = headers;
    const length = { "content-length": String(body.length) };
    return { method, headers: { ...kept, ...length }, agent: this.#agent };
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
