import { expect, test } from "vitest";
import { UserError } from "../model/errors.ts";
import { SendingChain, type WaitingEntry } from "./spool.ts";

/** Each batch is numbered by its place and is 10 bytes long on disk. */
function entry(sequence: number, follows: number | "nothing" = sequence - 1): WaitingEntry {
  const packed = Uint8Array.of(sequence);
  return { loadTestId: "run", sourceId: "sender", sequence, follows, packed };
}

/** A chain with `left` batches of an earlier process that records all its actions. */
function chainWith(options: {
  readonly left?: readonly WaitingEntry[];
  readonly send?: (entry: WaitingEntry) => Promise<void>;
}) {
  const log: string[] = [];
  const bytes = { waiting: 0 };
  const held: boolean[] = [];
  const left = options.left ?? [];
  const chain = new SendingChain({ loadTestId: "run", sourceId: "sender" }, left.length > 0, {
    send: async (sent) => {
      held.push(sent.packed !== undefined);
      await options.send?.(sent);
      log.push(`sent ${sent.sequence}`);
    },
    remove: async ({ sequence }) => void log.push(`removed ${sequence}`),
    putAside: async ({ sequence }) => void log.push(`put aside ${sequence}`),
    warn: (message) => log.push(`warned: ${message}`),
    moved: (by) => (bytes.waiting += by),
  });
  for (const each of left) chain.add(each, 10);
  return { chain, log, bytes, held };
}

test("batches are sent in order, and each leaves the disk before the next one is sent", async () => {
  const { chain, log, bytes } = chainWith({});
  chain.add(entry(0, "nothing"), 10);
  chain.add(entry(1), 30);
  expect(bytes.waiting).toBe(40);
  expect(chain.waiting.map(({ sequence }) => sequence)).toEqual([0, 1]);
  expect(chain.lastSequence).toBe(1);
  expect([chain.loadTestId, chain.sourceId]).toEqual(["run", "sender"]);
  await chain.settled();
  expect(log).toEqual(["sent 0", "removed 0", "sent 1", "removed 1"]);
  expect(bytes.waiting).toBe(0);
  expect(chain.waiting).toEqual([]);
  expect(() => chain.throwFailure()).not.toThrow();
});

test("the bytes of four batches are held in memory, those of later ones are read again", async () => {
  const { chain, held } = chainWith({});
  for (let sequence = 0; sequence < 6; sequence++) chain.add(entry(sequence), 10);
  await chain.settled();
  expect(held).toEqual([true, true, true, true, false, false]);
});

test("leftover batches wait until the server state is known", async () => {
  const { chain, log } = chainWith({ left: [entry(4), entry(5), entry(6)] });
  await chain.settled();
  expect(log).toEqual([]);
  await chain.resume(4);
  await chain.settled();
  // The server had number 4: it is removed without being sent.
  expect(log).toEqual(["removed 4", "sent 5", "removed 5", "sent 6", "removed 6"]);
  expect(chain.lastSequence).toBe(6);
});

test("a source unknown to the server begins with a batch without a predecessor", async () => {
  const { chain, log } = chainWith({ left: [entry(0, "nothing")] });
  await chain.resume(undefined);
  await chain.settled();
  expect(log).toEqual(["sent 0", "removed 0"]);
});

test("leftover batches that do not continue the server state are set aside", async () => {
  const { chain, log, bytes } = chainWith({ left: [entry(7, 6), entry(8)] });
  await chain.resume(4);
  expect(log).toEqual([
    "put aside 7",
    "put aside 8",
    'warned: set aside 2 waiting batches of load test "run": the server has other data of this source',
  ]);
  expect(chain.lastSequence).toBeUndefined();
  expect(bytes.waiting).toBe(0);
  // The source continues from what the server has.
  chain.add(entry(5), 10);
  await chain.settled();
  expect(log.slice(3)).toEqual(["sent 5", "removed 5"]);
});

test("if the server has everything, leftover batches are removed", async () => {
  const { chain, log } = chainWith({ left: [entry(3), entry(4)] });
  await chain.resume(9);
  expect(log).toEqual(["removed 3", "removed 4"]);
  expect(chain.lastSequence).toBeUndefined();
});

test("sending resumes once, whoever asks", async () => {
  const { chain, log } = chainWith({ left: [entry(5)] });
  await Promise.all([chain.resume(4), chain.resume(4)]);
  await chain.settled();
  await chain.resume(4);
  expect(log).toEqual(["sent 5", "removed 5"]);
});

test.each([
  ["server-unreachable", ["warned: no answer"]],
  ["server-refused", ["warned: no answer"]],
  [
    "source-moved-on",
    [
      "put aside 0",
      "put aside 1",
      'warned: set aside 2 waiting batches of load test "run": no answer',
    ],
  ],
] as const)("%s stops the chain and is reported to further callers", async (code, wanted) => {
  const failure = new UserError(code, "no answer");
  const { chain, log } = chainWith({ send: () => Promise.reject(failure) });
  chain.add(entry(0, "nothing"), 10);
  chain.add(entry(1), 10);
  await chain.settled();
  expect(log).toEqual(wanted);
  expect(() => chain.throwFailure()).toThrow(failure);
  chain.add(entry(2), 10);
  await chain.settled();
  expect(log).toEqual(wanted);
});

test("an unexpected error is reported and keeps waiting batches", async () => {
  const { chain, log } = chainWith({ send: () => Promise.reject(new TypeError("odd")) });
  chain.add(entry(0, "nothing"), 10);
  await chain.settled();
  expect(log).toEqual(["warned: odd"]);
  expect(chain.waiting).toHaveLength(1);
});
