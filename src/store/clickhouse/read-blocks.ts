import { ClickHouseError } from "./clickhouse-error.ts";
import type { NativeBlock } from "./native-block.ts";
import { NativeError } from "./native-error.ts";
import { readNativeBlocks } from "./native-reader.ts";
import type { Asking, Node } from "./node.ts";

/** The blocks that `node` answers, as they come; it is asked with the first. Throws `ClickHouseError`. */
export async function* readBlocks(
  node: Node,
  sql: string,
  asking: Asking,
): AsyncGenerator<NativeBlock, void, undefined> {
  try {
    yield* readNativeBlocks(await node.read(sql, asking));
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    const message = `${node.url}: ${error.message}`;
    throw new ClickHouseError(message, error.serverCode, { cause: error });
  }
}
