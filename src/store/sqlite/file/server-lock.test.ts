import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { addressServing, lockForServer } from "./server-lock.ts";

test("one server has the lock, and the refusal of another one names its process id", () => {
  const directory = temporaryDirectory();
  const lock = lockForServer(directory, 4711);
  expect(() => lockForServer(directory, 4712)).toThrow(
    expect.objectContaining({ code: "store-in-use", message: expect.stringContaining("4711") }),
  );
  lock.release();
  lock.release();
  lockForServer(directory, 4712).release();
  expect(readFileSync(path.join(directory, "server.pid"), "utf8")).toBe("4712\n");
});

test("a refused server reports the address of the other one", () => {
  const directory = temporaryDirectory();
  const lock = lockForServer(directory, 4711);
  lock.noteAddress("http://127.0.0.1:8013");
  expect(() => lockForServer(directory, 4712)).toThrow("4711 (at http://127.0.0.1:8013) uses it");
  lock.release();
});

test("the address of a server is known while it has the lock", () => {
  const directory = temporaryDirectory();
  expect(addressServing(directory)).toBeUndefined();
  const lock = lockForServer(directory, 4711);
  expect(addressServing(directory)).toBeUndefined();
  lock.noteAddress("http://127.0.0.1:8013");
  expect(addressServing(directory)).toBe("http://127.0.0.1:8013");
  lock.release();
  expect(addressServing(directory)).toBeUndefined();
});

test("an address that cannot be read is not known", () => {
  const directory = temporaryDirectory();
  const lock = lockForServer(directory, 4711);
  // As on a full disk.
  rmSync(path.join(directory, "server.pid"));
  expect(addressServing(directory)).toBeUndefined();
  lock.release();
  const other = temporaryDirectory();
  mkdirSync(path.join(other, "server.lock"));
  expect(addressServing(other)).toBeUndefined();
});

test("only the owner can read the process id", () => {
  const directory = temporaryDirectory();
  lockForServer(directory, 1).release();
  expect(statSync(path.join(directory, "server.pid")).mode & 0o777).toBe(0o600);
});
