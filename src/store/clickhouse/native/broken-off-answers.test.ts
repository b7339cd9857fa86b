import { expect, test } from "vitest";
import { collect } from "../../../../test/support/batches.ts";
import { inChunks, oneColumn } from "../../../../test/support/native-bytes.ts";
import type { NativeBlock } from "./native-block.ts";
import { decodeNative, readNativeBlocks } from "./native-reader.ts";
import { NativeBlockWriter } from "./native-writer.ts";

/** Exceptions of 18.16 and of current servers, with and without markers. */
const exceptions: readonly [string, number, string][] = [
  [
    "18.16",
    241,
    "Code: 241, e.displayText() = DB::Exception: Memory limit (for query) exceeded, e.what() = DB::Exception",
  ],
  [
    "today",
    395,
    "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) (version 24.8.4.13 (official build))\n",
  ],
  [
    "with marks",
    159,
    "\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 159. DB::Exception: Timeout exceeded: elapsed 1.2 s. (TIMEOUT_EXCEEDED)\n70 abcdefghijklmnop\r\n__exception__\r\n",
  ],
  [
    "of a library",
    1000,
    "Poco::Exception. Code: 1000, e.code() = 104, e.displayText() = Connection reset by peer, e.what() = Connection reset by peer",
  ],
];

test.each(exceptions)(
  "an exception inside a response is never read as values: %s",
  async (_, code, text) => {
    const block = new NativeBlockWriter();
    block.unsigned64("c").repeat(1, 15);
    const body = Buffer.concat([Buffer.concat(block.finish()), Buffer.concat(block.finish())]);
    const exception = Buffer.from(text);
    // At every position, including the end.
    for (let at = 0; at <= body.length; at += 1) {
      const answer = Buffer.concat([body.subarray(0, at), exception]);
      const got: NativeBlock[] = [];
      const reading = async () => {
        for await (const each of readNativeBlocks(inChunks(answer, [at, 3]))) got.push(each);
      };
      await expect(reading()).rejects.toThrow(
        expect.objectContaining({ name: "NativeError", serverCode: code }),
      );
      // Complete blocks may be returned first.
      expect(got.flatMap((each) => [...each.numbers("c")]).every((number) => number === 1)).toBe(
        true,
      );
    }
  },
);

test("an exception is reported even if the connection breaks after it", async () => {
  const broken = new Error("aborted");
  async function* breaking(text: string): AsyncGenerator<Uint8Array> {
    yield oneColumn("UInt64", 3, 0, 0);
    yield Buffer.from(text);
    throw broken;
  }
  const text = exceptions[1]?.[2] ?? "";
  await expect(collect(readNativeBlocks(breaking(text)))).rejects.toThrow(
    expect.objectContaining({ serverCode: 395, cause: broken }),
  );
  await expect(collect(readNativeBlocks(breaking("")))).rejects.toBe(broken);
});

test("a value that looks like an exception is read as a value", () => {
  const [text] = exceptions.map(([, , each]) => each);
  const block = new NativeBlockWriter();
  block.texts("message").append([text ?? ""]);
  expect(decodeNative(Buffer.concat(block.finish()))[0]?.strings("message")).toEqual([text]);
});

test("an exception with a long text is reported", () => {
  const text = `Code: 47. DB::Exception: Unknown identifier: ${"x".repeat(16_000)} (version 24.8.4.13)`;
  const answer = Buffer.concat([oneColumn("UInt64", 3, 0, 0), Buffer.from(text)]);
  expect(() => decodeNative(answer)).toThrow(expect.objectContaining({ serverCode: 47 }));
});
