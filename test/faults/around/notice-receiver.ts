import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What a receiver does with a notice; `hangs` never responds, `breaks` closes the connection. */
const MANNERS = ["takes", "takes", "fails", "hangs", "breaks"] as const;

type Manner = (typeof MANNERS)[number] | "refuses";

const STATUSES: Readonly<Partial<Record<Manner, number>>> = {
  takes: 204,
  fails: 500,
  refuses: 400,
};

/** The part of a notice that is compared. */
interface PostedNotice {
  readonly event: string;
  readonly id?: string;
  readonly loadTest: { readonly id: string };
  readonly verdict?: { readonly checked: number; readonly failed: number };
}

export interface Post {
  readonly notice: PostedNotice;
  readonly manner: Manner;
}

/** Receives notices at one address, well or, while `isIll`, as `random` has it. Always refuses those of load tests with `refused` in their id. */
export class NoticeReceiver implements AsyncDisposable {
  readonly posts: Post[] = [];
  isIll = false;
  readonly #random: () => number;
  #server: Server | undefined;
  #port = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get isListening(): boolean {
    return this.#server?.listening === true;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => void this.#receive(request, response));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Connections are refused until the next start. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }

  /** Notices of a load test, in order of arrival. */
  of(loadTestId: string): readonly Post[] {
    return this.posts.filter(({ notice }) => notice.loadTest.id === loadTestId);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The sender may be killed before its end.
    const notice = (await json(request).catch(() => undefined)) as PostedNotice | undefined;
    if (notice === undefined) return;
    const manner = this.#mannerFor(notice);
    this.posts.push({ notice, manner });
    const status = STATUSES[manner];
    if (status !== undefined) response.writeHead(status).end();
    if (manner === "breaks") request.socket.destroy();
  }

  #mannerFor({ loadTest }: PostedNotice): Manner {
    if (loadTest.id.includes("refused")) return "refuses";
    if (!this.isIll) return "takes";
    return MANNERS[Math.floor(this.#random() * MANNERS.length)] ?? "takes";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
