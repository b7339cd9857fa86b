const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The items of a streamed JSON list, one at a time. Throws `SyntaxError` if it is no list or ends early. */
export async function* readItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator {
  const cutter = new ItemCutter();
  for await (const chunk of chunks) {
    for (const item of cutter.cut(chunk)) yield JSON.parse(item);
  }
  if (!cutter.isAtEnd) throw new SyntaxError("the list has no end");
}

/** Splits a list into the texts of its items without parsing them. */
class ItemCutter {
  /** 0 outside the list, 1 between its items. */
  #depth = 0;
  #hasStarted = false;
  #isInText = false;
  #isEscaped = false;
  #partialItem = "";
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  get isAtEnd(): boolean {
    return this.#hasStarted && this.#depth === 0;
  }

  /** The texts of the items that end in this chunk. */
  *cut(chunk: Uint8Array): Generator<string> {
    let begin = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#depth === 0) {
        this.#enterList(byte);
        begin = at + 1;
      } else if (this.#endsItem(byte)) {
        const item = this.#partialItem + this.#decode(chunk.subarray(begin, at));
        this.#partialItem = "";
        begin = at + 1;
        // The list may be empty; an empty item between commas is rejected when it is parsed.
        if (byte === COMMA || item.trim() !== "") yield item;
      }
    }
    if (this.#depth > 0) this.#partialItem += this.#decode(chunk.subarray(begin));
  }

  #enterList(byte: number): void {
    if (BLANKS.has(byte)) return;
    if (this.#hasStarted || byte !== 0x5b) throw new SyntaxError("expected one list and no more");
    this.#hasStarted = true;
    this.#depth = 1;
  }

  #endsItem(byte: number): boolean {
    if (this.#isInText) {
      this.#passText(byte);
      return false;
    }
    if (byte === QUOTE) this.#isInText = true;
    else if (byte === 0x5b || byte === 0x7b) this.#depth += 1;
    else if (byte === 0x5d || byte === 0x7d) this.#depth -= 1;
    return this.#depth === 0 || (this.#depth === 1 && byte === COMMA);
  }

  #passText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #decode(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes, { stream: true });
  }
}
