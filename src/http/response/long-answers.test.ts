import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { LongAnswers } from "./long-answers.ts";

const PATIENCE_MS = 20;

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Uint8Array.of(1);
}

function leave(): never {
  throw new Error("the client has left");
}

test("two long responses of an operation are computed at once, others wait in turn", async () => {
  const answers = new LongAnswers();
  const begun: string[] = [];
  const turns = ["a", "b", "c"].map((name) => {
    const turn = answers.turnOf("getReport", "key one");
    void turn.begin().then(() => begun.push(name));
    return turn;
  });
  await answers.turnOf("getHeatmap", "key one").begin();
  expect(begun).toEqual(["a", "b"]);
  turns[1]?.end();
  await expect.poll(() => begun).toEqual(["a", "b", "c"]);
  // A turn that has ended may be ended again, and takes none from others.
  turns[1]?.end();
  const next = answers.turnOf("getReport", "key two");
  void next.begin().then(() => begun.push("d"));
  await setTimeout(1);
  expect(begun).toEqual(["a", "b", "c"]);
});

test("what was computed in a turn is sent in it", async () => {
  const answers = new LongAnswers();
  const first = answers.turnOf("getMetrics", "key one");
  const other = answers.turnOf("getMetrics", "key one");
  await Promise.all([first.begin(), other.begin()]);
  const waiting = answers.turnOf("getMetrics", "key two").begin();
  let sent = 0;
  for await (const _ of first.chunks(endless())) if ((sent += 1) === 3) break;
  expect(sent).toBe(3);
  await waiting;
});

test("a client that takes its chunks soon keeps its turn, one that does not lets others go first", async () => {
  const answers = new LongAnswers(PATIENCE_MS);
  const done: string[] = [];
  async function* numbered(name: string): AsyncGenerator<Uint8Array> {
    try {
      yield Uint8Array.of(1);
      yield Uint8Array.of(2);
    } finally {
      done.push(name);
    }
  }
  const read = (name: string) => answers.turnOf("getMetrics", "key one").chunks(numbered(name));
  const stalled = ["a", "b"].map((name) => read(name)[Symbol.asyncIterator]());
  for (const each of stalled) expect(await each.next()).toMatchObject({ done: false });
  const others = ["c", "d", "e"].map((name) => Array.fromAsync(read(name)));
  for (const chunks of await Promise.all(others))
    expect(chunks.flatMap((each) => [...each])).toEqual([1, 2]);
  expect(done).toEqual(["c", "d", "e"]);
  expect(await stalled[0]?.next()).toMatchObject({ value: Uint8Array.of(2) });
  for (const each of stalled) await each.return?.(undefined);
  expect(done).toEqual(["c", "d", "e", "a", "b"]);
});

test("a client that takes one small part after the other lets others go first, too", async () => {
  const answers = new LongAnswers(PATIENCE_MS);
  const stop = new AbortController();
  const slow = [1, 2].map(async () => {
    for await (const _ of answers.turnOf("getMetrics", "key one").chunks(endless())) {
      if (stop.signal.aborted) return;
      await setTimeout(PATIENCE_MS / 4);
    }
  });
  await setTimeout(1);
  const other = answers.turnOf("getMetrics", "key two");
  await expect(other.begin()).resolves.toBeUndefined();
  other.end();
  stop.abort();
  await Promise.all(slow);
});

test("a turn whose time is nearly over is waited for without a warning of Node", async () => {
  const answers = new LongAnswers(0.5);
  const warnings: string[] = [];
  const note = ({ name }: Error): void => void warnings.push(name);
  process.on("warning", note);
  let left = 3;
  for await (const _ of answers.turnOf("getMetrics", "key one").chunks(endless())) {
    // Longer than the turn, but before its timer can end it.
    const untilMs = performance.now() + 2;
    while (performance.now() < untilMs);
    left -= 1;
    if (left === 0) break;
  }
  await setTimeout(1);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("chunks that nobody wants any more are not computed when their turn comes", async () => {
  const answers = new LongAnswers();
  const running = [1, 2].map(() => answers.turnOf("getMetrics", "key one"));
  await Promise.all(running.map((turn) => turn.begin()));
  let begun = 0;
  async function* one(): AsyncGenerator<Uint8Array> {
    begun += 1;
    yield Uint8Array.of(1);
  }
  const left = Array.fromAsync(answers.turnOf("getMetrics", "key one").chunks(one(), leave));
  const next = Array.fromAsync(answers.turnOf("getMetrics", "key one").chunks(one()));
  for (const turn of running) turn.end();
  await expect(left).rejects.toThrow("the client has left");
  expect(await next).toHaveLength(1);
  expect(begun).toBe(1);
});
