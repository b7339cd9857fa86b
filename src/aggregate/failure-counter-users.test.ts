import { expect, test } from "vitest";
import { UserCounter } from "./failure-counter.ts";

test("active users of a second are a maximum; started and ended users are sums", () => {
  const counter = new UserCounter();
  counter.addActive(1, 9, 4);
  counter.addActive(0, 9, 3);
  counter.addActive(1, 8, 2);
  counter.addActive(1, 9, 6);
  counter.addActive(1, 9, 5);
  counter.addChanges(2, 8, 1, 0);
  counter.addChanges(2, 8, 2, 1);
  const { generator, second, active, started, ended } = counter.flush();
  expect([...generator]).toEqual([0, 1, 1, 2]);
  expect([...second]).toEqual([9, 8, 9, 8]);
  expect([...active]).toEqual([3, 2, 6, 0]);
  expect([...started]).toEqual([0, 0, 0, 3]);
  expect([...ended]).toEqual([0, 0, 0, 1]);
});

test("flushed counts are not returned again, even if the same second continues", () => {
  const counter = new UserCounter();
  counter.addActive(0, 9, 3);
  counter.flush();
  expect([...counter.flush().second]).toEqual([]);
  counter.addActive(0, 9, 2);
  expect([...counter.flush().active]).toEqual([2]);
});

test("keeps generators apart", () => {
  const counter = new UserCounter();
  const seconds = [0, 1, 32, 63, 64, 65, 2 ** 31, 2 ** 32 - 1];
  for (const generator of [0, 1, 2, 3]) {
    for (const second of seconds) counter.addActive(generator, second, 1 + generator);
  }
  const { active } = counter.flush();
  expect([...active]).toEqual([1, 2, 3, 4].flatMap((users) => seconds.map(() => users)));
});
