import type { KeptThresholds } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { translated } from "../file/sql-error.ts";

export function openThresholds({ reader, writer, queue }: SqliteFile): KeptThresholds {
  const byName = reader.prepare("SELECT text FROM thresholds WHERE name = ?");
  const reading = translated(reader, {
    find: (name: string) => byName.get(name)?.["text"] as string | undefined,
  });
  const replace = writer.prepare("INSERT OR REPLACE INTO thresholds (name, text) VALUES (?, ?)");
  const remove = writer.prepare("DELETE FROM thresholds WHERE name = ?");
  return {
    async find(name) {
      return reading.find(name);
    },
    keep: (name, text) =>
      queue.write(() => {
        if (text === undefined) remove.run(name);
        else replace.run(name, text);
      }),
  };
}
