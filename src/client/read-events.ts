/** An event of `streamEvents`. */
interface StreamedEvent {
  readonly name: string;
  readonly data: unknown;
}

/** The events of a stream whose texts are cut anywhere; comments are left out. Throws `SyntaxError` if data are no JSON. */
export async function* readEvents(texts: AsyncIterable<string>): AsyncGenerator<StreamedEvent> {
  let rest = "";
  for await (const text of texts) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name, data = ""] = EVENT.exec(block) ?? [];
      if (name !== undefined) yield { name, data: JSON.parse(data) as unknown };
    }
  }
}

/** Lines end with LF only: text in JSON may hold other separators. */
const EVENT = /^event: (\w+)\n(?:id: [^\n]*\n)?data: ([^\n]*)$/;
