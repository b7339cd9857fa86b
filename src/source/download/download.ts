import type { IncomingMessage } from "node:http";
import { UserError } from "../../model/errors.ts";
import {
  type HttpRequest,
  isTemporary,
  messageOf,
  PART_BYTES_MIN,
  sendRequest,
  steadily,
  textOf,
} from "./send-request.ts";
import { createHash, type Hash } from "node:crypto";

export interface DownloadDependencies {
  /** Aborts downloads. */
  readonly interrupted: AbortSignal;
  /** Milliseconds; monotonic. */
  readonly clockMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly warn: (message: string) => void;
}

export interface RemoteFile {
  /** Its address without credentials and query. */
  readonly name: string;
  /** `undefined` if the server does not say. */
  readonly sizeBytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface RemoteFileAddress {
  /** Without credentials and query, for reports. */
  readonly name: string;
  /** See `openDownload`. */
  open(): Promise<RemoteFile>;
}

interface Download {
  readonly name: string;
  /** The request with these headers added; called for each attempt, since signatures expire. */
  readonly requestWith: (headers: HttpRequest["headers"]) => Promise<HttpRequest>;
  /** The reason that an error response gives. @default none */
  readonly reasonIn?: (body: string, headers: IncomingMessage["headers"]) => string | undefined;
}

/** How long to retry without receiving a new part of `PART_BYTES_MIN`. */
const PATIENCE_MS = 120_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;

/**
 * Opens a file by HTTP. A broken transfer is resumed where it stopped if a strong entity tag promises the same
 * bytes; without one it starts again, and must bring the same bytes again. Throws `unreadable-source` if the
 * server refuses the file or the file changes meanwhile, `server-unreachable` after two minutes without 64 KiB that
 * are new; so does `chunks`, which must be read or returned.
 */
export async function openDownload(
  download: Download,
  dependencies: DownloadDependencies,
): Promise<RemoteFile> {
  const transfer = new Transfer(download, dependencies);
  const first = await transfer.connect();
  return { name: download.name, sizeBytes: transfer.sizeBytes, chunks: transfer.chunks(first) };
}

interface Body {
  readonly response: IncomingMessage;
  readonly fromByte: number;
  /** What was received by earlier responses. */
  readonly received: ReceivedPart;
}

class Transfer {
  readonly #download: Download;
  readonly #dependencies: DownloadDependencies;
  #state: FileState | undefined;
  #received: ReceivedPart | undefined;
  #progressAtMs: number;
  /** New ones since then. */
  #newBytes = 0;
  #retryMs = RETRY_MS_MIN;

  constructor(download: Download, dependencies: DownloadDependencies) {
    this.#download = download;
    this.#dependencies = dependencies;
    this.#progressAtMs = dependencies.clockMs();
  }

  get sizeBytes(): number | undefined {
    return this.#state?.sizeBytes;
  }

  /** Once for the body that `connect` returned first. */
  async *chunks(first: Body): AsyncGenerator<Uint8Array> {
    for (let body = first; ; body = await this.connect()) {
      const { response, fromByte, received } = body;
      const { clockMs } = this.#dependencies;
      const before = received.sizeBytes;
      let reason: unknown = "the connection closed early";
      try {
        const steady = steadily(response, clockMs);
        for await (const chunk of received.dropFrom(steady, fromByte, () => this.#changed())) {
          const atMs = clockMs();
          received.add(chunk);
          this.#progress(chunk.length, atMs);
          yield chunk;
          // The time that the reader takes is not the server's.
          this.#progressAtMs += clockMs() - atMs;
        }
        if (received.sizeBytes === (this.sizeBytes ?? received.sizeBytes)) return;
        if (received.sizeBytes > (this.sizeBytes ?? 0)) throw this.#changed();
      } catch (error) {
        reason = this.#temporary(error);
      } finally {
        response.destroy();
      }
      if (received.sizeBytes === before) await this.#pause(reason);
      else {
        this.#requirePatience(reason);
        this.#warn(reason);
      }
    }
  }

  #progress(bytes: number, atMs: number): void {
    this.#retryMs = RETRY_MS_MIN;
    this.#newBytes += bytes;
    if (this.#newBytes >= PART_BYTES_MIN) [this.#newBytes, this.#progressAtMs] = [0, atMs];
  }

  /** A response whose body continues what was received, or starts again. Retries what may be temporary. */
  async connect(): Promise<Body> {
    for (;;) {
      let reason: unknown;
      try {
        const request = await this.#download.requestWith(this.#rangeHeaders());
        const response = await sendRequest(request, this.#dependencies.interrupted);
        const status = response.statusCode ?? 0;
        if (status === 200 || status === 206) return this.#accepted(response);
        reason = await this.#refusal(response, status);
      } catch (error) {
        reason = this.#temporary(error);
      }
      await this.#pause(reason);
    }
  }

  /** Throws `server-unreachable` when patience is over. */
  async #pause(reason: unknown): Promise<void> {
    this.#requirePatience(reason);
    if (this.#retryMs === RETRY_MS_MIN) this.#warn(reason);
    await this.#dependencies.wait(this.#retryMs);
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
  }

  #requirePatience(reason: unknown): void {
    if (this.#dependencies.clockMs() - this.#progressAtMs <= PATIENCE_MS) return;
    const { name } = this.#download;
    throw new UserError("server-unreachable", `cannot read "${name}": ${messageOf(reason)}`);
  }

  #warn(reason: unknown): void {
    const { name } = this.#download;
    const at = `${name}: ${messageOf(reason)} at byte ${this.#receivedBytes}`;
    const next = this.#state?.entityTag === undefined ? "starting again" : "resuming";
    this.#dependencies.warn(`${at}; ${next}`);
  }

  get #receivedBytes(): number {
    return this.#received?.sizeBytes ?? 0;
  }

  #rangeHeaders(): HttpRequest["headers"] {
    const identity = { "Accept-Encoding": "identity" };
    const { entityTag } = this.#state ?? {};
    if (this.#receivedBytes === 0 || entityTag === undefined) return identity;
    return { ...identity, Range: `bytes=${this.#receivedBytes}-`, "If-Match": entityTag };
  }

  #accepted(response: IncomingMessage): Body {
    try {
      const { fromByte, sizeBytes } = rangeOf(response);
      const state = stateOf(response, sizeBytes);
      const merged = mergeStates(this.#state ?? state, state);
      if (merged === undefined) throw this.#changed();
      if (fromByte !== 0 && fromByte !== this.#receivedBytes) {
        throw this.#unreadable(`got byte ${fromByte}, expected byte ${this.#receivedBytes}`);
      }
      if (this.#state === undefined && !saysWhereItEnds(response)) {
        const { name } = this.#download;
        this.#dependencies.warn(`${name}: the server does not say where the file ends`);
      }
      this.#state = merged;
      this.#received ??= new ReceivedPart(merged);
      return { response, fromByte, received: this.#received };
    } catch (error) {
      response.destroy();
      throw error;
    }
  }

  /** Why a response is an error. Throws unless it may be temporary. */
  async #refusal(response: IncomingMessage, status: number): Promise<string> {
    if (status === 412 || status === 416) {
      response.destroy();
      throw this.#changed();
    }
    const detail = this.#download.reasonIn?.(await textOf(response), response.headers);
    const reason = `the server responded ${status}${detail === undefined ? "" : ` ${detail}`}`;
    if (status === 408 || status === 429 || status >= 500) return reason;
    throw this.#unreadable(reason);
  }

  /** Returns an error that may be temporary. Throws others, as the user sees them. */
  #temporary(error: unknown): unknown {
    if (this.#dependencies.interrupted.aborted || error instanceof UserError) throw error;
    if (isTemporary(error)) return error;
    throw this.#unreadable(messageOf(error));
  }

  #changed(): UserError {
    return this.#unreadable("the file changed during the download: import it again");
  }

  #unreadable(reason: string): UserError {
    return new UserError("unreadable-source", `cannot read "${this.#download.name}": ${reason}`);
  }
}

/** Otherwise a transfer that breaks looks as if it was complete. */
function saysWhereItEnds({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] === "chunked";
}

/** Identifies the state of a file, as far as the server does. */
interface FileState {
  /** Promises the same bytes. `undefined` for weak tags, which do not, and never match `If-Match`. */
  readonly entityTag: string | undefined;
  readonly lastModified: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** `sizeBytes` is that of the whole file, where the response is a part of it. */
function stateOf({ headers }: IncomingMessage, sizeBytes: number | undefined): FileState {
  const length = headers["content-length"];
  const { etag } = headers;
  return {
    entityTag: etag === undefined || etag.startsWith("W/") ? undefined : etag,
    lastModified: headers["last-modified"],
    sizeBytes: sizeBytes ?? (length === undefined ? undefined : Number(length)),
  };
}

/** What both say together; `undefined` if they contradict each other. */
function mergeStates(before: FileState, after: FileState): FileState | undefined {
  if (before.entityTag !== after.entityTag || before.lastModified !== after.lastModified) {
    return undefined;
  }
  const sizeBytes = before.sizeBytes ?? after.sizeBytes;
  if (sizeBytes !== (after.sizeBytes ?? sizeBytes)) return undefined;
  return { ...before, sizeBytes };
}

interface ReceivedRange {
  readonly fromByte: number;
  /** Of the whole file; `undefined` if the server does not say. */
  readonly sizeBytes: number | undefined;
}

/** The part of the file that a response is. Throws for an unreadable `Content-Range`. */
function rangeOf({ statusCode, headers }: IncomingMessage): ReceivedRange {
  if (statusCode !== 206) return { fromByte: 0, sizeBytes: undefined };
  const text = headers["content-range"] ?? "";
  const [, from, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
  if (from === undefined) {
    throw new Error(`got Content-Range "${text}", expected "bytes FROM-TO/SIZE"`);
  }
  return { fromByte: Number(from), sizeBytes: size === "*" ? undefined : Number(size) };
}

/** The received part of a file, to be dropped from a response that starts from the beginning. */
class ReceivedPart {
  sizeBytes = 0;
  /** SHA-256; not needed where a strong entity tag promises the same bytes. */
  readonly #digest: Hash | undefined;

  constructor({ entityTag }: FileState) {
    this.#digest = entityTag === undefined ? createHash("sha256") : undefined;
  }

  add(chunk: Uint8Array): void {
    this.sizeBytes += chunk.length;
    this.#digest?.update(chunk);
  }

  /**
   * The bytes behind this part in a body that starts at `fromByte`, which is 0 or where this part ends. Throws
   * what `changed` returns if the body starts with other bytes, or has fewer.
   */
  async *dropFrom(
    body: AsyncIterable<Uint8Array>,
    fromByte: number,
    changed: () => Error,
  ): AsyncGenerator<Uint8Array> {
    let left = this.sizeBytes - fromByte;
    const expected = left === 0 ? undefined : this.#digest?.copy().digest();
    const repeated = createHash("sha256");
    for await (const chunk of body) {
      const known = chunk.subarray(0, left);
      left -= known.length;
      if (known.length > 0 && expected !== undefined) {
        repeated.update(known);
        if (left === 0 && !expected.equals(repeated.digest())) throw changed();
      }
      if (known.length < chunk.length) yield chunk.subarray(known.length);
    }
    if (left > 0) throw changed();
  }
}
