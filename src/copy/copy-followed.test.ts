import { expect, test } from "vitest";
import { stored } from "../../test/support/batches.ts";
import { copy } from "../../test/support/copying.ts";
import { follow, HEADER, importWhole, PAUSE, ROWS } from "../../test/support/follow.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import type { Store } from "../store/store.ts";

async function copyOfFollowed(): Promise<{ to: Store; file: WrittenFile }> {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 8).join(""));
  const more = () => file.append(ROWS.slice(8, 30).join(""));
  await follow(file, [...PAUSE, more, ...PAUSE], { store: from });
  await copy(from, to);
  return { to, file };
}

async function requestsIn(store: Store): Promise<number> {
  const series = await stored(store);
  return series.reduce((sum, [, { requests }]) => sum + requests.reduce((all, n) => all + n), 0);
}

test.each([0, 10])(
  "a file that was followed before its run was copied, and grew by %d rows since, is imported in place of the copy",
  async (rows) => {
    const { to, file } = await copyOfFollowed();
    expect(await requestsIn(to)).toBe(30);
    file.append(ROWS.slice(30, 30 + rows).join(""));
    await importWhole(to, file.bytes);
    expect(await requestsIn(to)).toBe(30 + rows);
  },
);

test("a file is followed on after its run was copied, and each row counts once", async () => {
  const { to, file } = await copyOfFollowed();
  const more = () => file.append(ROWS.slice(30).join(""));
  await follow(file, [...PAUSE, more, ...PAUSE], { store: to });
  expect(await requestsIn(to)).toBe(ROWS.length);
  await follow(file, PAUSE, { store: to });
  expect(await requestsIn(to)).toBe(ROWS.length);
});
