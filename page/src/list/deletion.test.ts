import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";

const asked: string[] = [];
/** Lets the service answer that the first run is deleted. */
const first = Promise.withResolvers<void>();

vi.mock("../api/load-tests.ts", () => ({
  deleteLoadTest: async (id: string) => {
    asked.push(id);
    if (id === "first") await first.promise;
  },
}));

let signOut = (): void => undefined;
vi.mock("../api/key.ts", () => ({
  onSignOut(call: () => void) {
    signOut = call;
  },
}));

// Test files share modules.
vi.resetModules();
const { deleteLater } = await import("./deletion.ts");
afterAll(() => void vi.resetModules());

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("nothing is deleted after a sign-out: another key may have other runs with these ids", async () => {
  deleteLater(["mine"]);
  await vi.advanceTimersByTimeAsync(10_000);
  signOut();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
});

test("runs chosen while others are being deleted are deleted, too", async () => {
  deleteLater(["first", "second"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["first"]);
  deleteLater(["third"]);
  first.resolve();
  await vi.advanceTimersByTimeAsync(61_000);
  expect(asked).toEqual(["first", "second", "third"]);
});
