import { expect, test } from "vitest";
import { RequestCoalescer } from "./request-coalescer.ts";

function scripted() {
  const questions: { readonly keys: readonly string[]; answer(): void; fail(): void }[] = [];
  const asked = new RequestCoalescer<string, string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    questions.push({
      keys,
      answer: () => resolve(new Map(keys.map((key) => [key, `of ${key}`]))),
      fail: () => reject(new Error("no answer")),
    });
    return promise;
  });
  return { asked, questions };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("a request during a running call waits for the next call, which starts after it", async () => {
  const { asked, questions } = scripted();
  const first = asked.ask("a");
  await settled();
  const others = [asked.ask("a"), asked.ask("b"), asked.ask("a")];
  await settled();
  expect(questions.map(({ keys }) => keys)).toEqual([["a"]]);
  questions[0]?.answer();
  expect(await first).toBe("of a");
  await settled();
  expect(questions.map(({ keys }) => keys)).toEqual([["a"], ["a", "b"]]);
  questions[1]?.answer();
  expect(await Promise.all(others)).toEqual(["of a", "of b", "of a"]);
});

test("a failed call rejects its requests and none after them", async () => {
  const { asked, questions } = scripted();
  const failing = asked.ask("a");
  await settled();
  const next = asked.ask("a");
  questions[0]?.fail();
  await expect(failing).rejects.toThrow("no answer");
  await settled();
  questions[1]?.answer();
  expect(await next).toBe("of a");
});
