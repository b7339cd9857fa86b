import type { IncomingMessage } from "node:http";
import { UserError } from "../../model/errors.ts";
import { type HttpRequest, messageOf, RedirectError, sendRequest, textOf } from "./send-request.ts";

export interface DownloadDependencies {
  /** Aborts downloads. */
  readonly interrupted: AbortSignal;
  /** Milliseconds; monotonic. */
  readonly clockMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly warn: (message: string) => void;
}

/** A file on another machine. */
export interface RemoteFile {
  /** Its address without credentials and query. */
  readonly name: string;
  /** `undefined` if the server does not say. */
  readonly sizeBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A remote file that is not opened yet. */
export interface RemoteFileAddress {
  /** Without credentials and query, for reports. */
  readonly name: string;
  /** See `openDownload`. */
  open(): Promise<RemoteFile>;
}

/** What to download. */
interface Download {
  readonly name: string;
  /** The request with these headers added; called for each attempt, since signatures expire. */
  readonly requestWith: (headers: HttpRequest["headers"]) => Promise<HttpRequest>;
  /** The reason that the body of an error response gives. @default none */
  readonly reasonIn?: (body: string) => string | undefined;
}

/** How long to retry without receiving a byte. */
const PATIENCE_MS = 120_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * Opens a file by HTTP. A broken transfer is resumed where it stopped, as long as the file stays the same.
 * Throws `unreadable-source` if the server refuses the file or the file changes meanwhile, `server-unreachable`
 * after two minutes without a byte; so does `chunks`, which must be read or returned.
 */
export async function openDownload(
  download: Download,
  dependencies: DownloadDependencies,
): Promise<RemoteFile> {
  const transfer = new Transfer(download, dependencies);
  const first = await transfer.connect();
  return { name: download.name, sizeBytes: transfer.sizeBytes, chunks: transfer.chunks(first) };
}

class Transfer {
  readonly #download: Download;
  readonly #dependencies: DownloadDependencies;
  /** Received so far. */
  #receivedBytes = 0;
  #state: FileState | undefined;
  #progressAtMs: number;

  constructor(download: Download, dependencies: DownloadDependencies) {
    this.#download = download;
    this.#dependencies = dependencies;
    this.#progressAtMs = dependencies.clockMs();
  }

  get sizeBytes(): number | undefined {
    return this.#state?.sizeBytes;
  }

  async *chunks(first: IncomingMessage): AsyncGenerator<Uint8Array> {
    const { interrupted, clockMs, warn } = this.#dependencies;
    for (let response = first; ; response = await this.connect()) {
      let reason: unknown = "the connection closed early";
      try {
        for await (const chunk of response as AsyncIterable<Uint8Array>) {
          this.#receivedBytes += chunk.length;
          this.#progressAtMs = clockMs();
          yield chunk;
        }
        if (this.#receivedBytes === (this.sizeBytes ?? this.#receivedBytes)) return;
        if (this.#receivedBytes > (this.sizeBytes ?? 0)) throw this.#changed();
      } catch (error) {
        if (interrupted.aborted || error instanceof UserError) throw error;
        reason = error;
      } finally {
        response.destroy();
      }
      warn(`${this.#download.name}: ${messageOf(reason)}; resuming at byte ${this.#receivedBytes}`);
    }
  }

  /** A response whose body continues at `#receivedBytes`. Retries what may be temporary. */
  async connect(): Promise<IncomingMessage> {
    const { interrupted, clockMs, wait } = this.#dependencies;
    for (let retryMs = RETRY_MS_MIN; ; retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)) {
      let reason: unknown;
      try {
        const request = await this.#download.requestWith(this.#rangeHeaders());
        const response = await sendRequest(request, interrupted);
        const status = response.statusCode ?? 0;
        if (status === 200 || status === 206) return await this.#continued(response);
        reason = await this.#refusal(response, status);
      } catch (error) {
        if (interrupted.aborted || error instanceof UserError) throw error;
        if (error instanceof RedirectError) throw this.#unreadable(error.message);
        reason = error;
      }
      if (clockMs() - this.#progressAtMs > PATIENCE_MS) {
        const { name } = this.#download;
        throw new UserError("server-unreachable", `cannot read "${name}": ${messageOf(reason)}`);
      }
      await wait(retryMs);
    }
  }

  #rangeHeaders(): HttpRequest["headers"] {
    const identity = { "Accept-Encoding": "identity" };
    if (this.#receivedBytes === 0) return identity;
    const { entityTag } = this.#state ?? {};
    const condition = entityTag === undefined ? {} : { "If-Match": entityTag };
    return { ...identity, Range: `bytes=${this.#receivedBytes}-`, ...condition };
  }

  async #continued(response: IncomingMessage): Promise<IncomingMessage> {
    const range = rangeOf(response);
    const state = stateOf(response, range?.sizeBytes);
    this.#state ??= state;
    if (!isSame(this.#state, state)) throw this.#changed();
    if ((range?.fromByte ?? this.#receivedBytes) !== this.#receivedBytes) throw this.#changed();
    // A server without ranges sends the file from its start.
    if (range === undefined) await skip(response, this.#receivedBytes);
    return response;
  }

  /** Why a response is an error. Throws unless it may be temporary. */
  async #refusal(response: IncomingMessage, status: number): Promise<string> {
    if (status === 412 || status === 416) {
      response.destroy();
      throw this.#changed();
    }
    const body = await textOf(response);
    const detail = this.#download.reasonIn?.(body);
    const reason = `the server responded ${status}${detail === undefined ? "" : ` ${detail}`}`;
    if (status === 408 || status === 429 || status >= 500) return reason;
    throw this.#unreadable(reason);
  }

  #changed(): UserError {
    return this.#unreadable("the file changed during the download: import it again");
  }

  #unreadable(reason: string): UserError {
    return new UserError("unreadable-source", `cannot read "${this.#download.name}": ${reason}`);
  }
}

/** Identifies the state of a file, as far as the server does. */
interface FileState {
  readonly entityTag: string | undefined;
  readonly lastModified: string | undefined;
  readonly sizeBytes: number | undefined;
}

function stateOf({ headers }: IncomingMessage, sizeBytes: number | undefined): FileState {
  const length = headers["content-length"];
  const { etag } = headers;
  return {
    // A weak tag does not promise the same bytes, and `If-Match` would never match it.
    entityTag: etag === undefined || etag.startsWith("W/") ? undefined : etag,
    lastModified: headers["last-modified"],
    sizeBytes: sizeBytes ?? (length === undefined ? undefined : Number(length)),
  };
}

function isSame(before: FileState, after: FileState): boolean {
  return (
    before.entityTag === after.entityTag &&
    before.lastModified === after.lastModified &&
    before.sizeBytes === after.sizeBytes
  );
}

interface ReceivedRange {
  readonly fromByte: number;
  readonly sizeBytes: number | undefined;
}

/** `undefined` if the response is the whole file. */
function rangeOf({ statusCode, headers }: IncomingMessage): ReceivedRange | undefined {
  if (statusCode !== 206) return undefined;
  const [, from, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "") ?? [];
  return { fromByte: Number(from), sizeBytes: size === "*" ? undefined : Number(size) };
}

/** Reads and drops the first bytes of a body. Throws if it is shorter. */
async function skip(response: IncomingMessage, bytes: number): Promise<void> {
  for (let left = bytes; left > 0;) {
    const chunk = (response.read() ?? undefined) as Buffer | undefined;
    if (chunk === undefined) {
      if (response.readableEnded) throw new Error("the connection closed early");
      await readable(response);
      continue;
    }
    if (chunk.length > left) response.unshift(chunk.subarray(left));
    left -= Math.min(left, chunk.length);
  }
}

function readable(response: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      for (const event of ["readable", "end"] as const) response.off(event, settle);
      response.off("error", settle);
      if (error === undefined) resolve();
      else reject(error);
    };
    response.once("readable", settle).once("end", settle).once("error", settle);
  });
}
