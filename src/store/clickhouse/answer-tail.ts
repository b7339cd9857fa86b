import { NativeError } from "./native-error.ts";

/** Longer than what servers tell of an exception, which they cut at 16 KiB. */
const TAIL_BYTES = 24 * 1024;

/** What a server writes of an exception, to the end of its answer: text without control characters. */
const EXCEPTION =
  /(?:Poco::Exception\. |std::exception\. )?Code: (\d+)[.,] (?:[A-Za-z]+::|e\.|type:)(?:\P{Cc}|[\t\n\r])*$/u;

/**
 * The end of an answer. A server that fails after it has begun to answer has only the body left to
 * say so: it breaks off wherever it is and writes its exception as text behind that.
 */
export class AnswerTail {
  #bytes: Uint8Array = new Uint8Array(0);

  add(chunk: Uint8Array): void {
    const joined = Buffer.concat([this.#bytes, chunk.subarray(-TAIL_BYTES)]);
    this.#bytes = joined.subarray(-TAIL_BYTES);
  }

  /** The exception that the answer ends with. */
  exception(cause?: unknown): NativeError | undefined {
    const text = new TextDecoder().decode(this.#bytes);
    const found = EXCEPTION.exec(text);
    if (found === null) return undefined;
    const message = `the server broke off its answer: ${found[0].trim()}`;
    return new NativeError(message, { cause, serverCode: Number(found[1]) });
  }
}
