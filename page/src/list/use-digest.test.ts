import { expect, test } from "vitest";
import { createTurns } from "./use-digest.ts";

test("limits concurrent tasks and keeps their order, even if one fails", async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    inTurn(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => void (ends[number] = resolve));
      if (number === 0) throw new Error("broken");
      return number;
    }).catch(() => "failed"),
  );
  expect(begun).toEqual([0, 1]);
  ends[0]?.();
  await all[0];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  await all[1];
  await Promise.resolve();
  for (const end of ends) end();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  expect(await Promise.all(all)).toEqual(["failed", 1, 2, 3]);
});
