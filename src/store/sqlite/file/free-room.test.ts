import { rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { FreeRoom, RESERVE_BYTES } from "./free-room.ts";

const GIBIBYTE = 1024 ** 3;

function roomOn(bytesMin: number, freeBytes: number, totalBytes = 1000 * GIBIBYTE): FreeRoom {
  return new FreeRoom("/store/file", { bytesMin, look: () => ({ freeBytes, totalBytes }) });
}

test.each([
  ["more than is kept free", roomOn(512, 600)],
  ["as much as is kept free", roomOn(512, 512)],
  ["a twentieth of a small disk", roomOn(512, 5, 100)],
  ["nothing, where nothing is kept free", roomOn(0, 0)],
])("a disk with %s can be written to", (_, room) => {
  expect(() => room.require()).not.toThrow();
});

test.each([
  ["less than is kept free", roomOn(512, 511), "511 bytes free, and 512 are kept free"],
  ["less than a twentieth", roomOn(512, 4, 100), "/store has 4 bytes free, and 5 are kept free"],
])("a disk with %s counts as full", (_, room, message) => {
  const refusal = { code: "storage-full", message: expect.stringContaining(message) };
  expect(() => room.require()).toThrow(expect.objectContaining(refusal));
});

test("checks the disk of the file", () => {
  const room = new FreeRoom(import.meta.filename, { bytesMin: 1 });
  expect(() => room.require()).not.toThrow();
});

const FULL_BELOW = 2 * RESERVE_BYTES;

function reserving(bytesMin = 0) {
  const directory = temporaryDirectory();
  const reserve = path.join(directory, "reserve");
  const disk = { freeBytes: 10 * RESERVE_BYTES, totalBytes: 1000 * GIBIBYTE };
  const room = new FreeRoom(path.join(directory, "file"), {
    bytesMin,
    reserve,
    look: () => disk,
  });
  return { room, disk, size: () => statSync(reserve, { throwIfNoEntry: false })?.size, reserve };
}

test("a reserve is created for its owner only and removed when the disk is full", () => {
  const { room, disk, size, reserve } = reserving();
  room.reserve();
  expect(size()).toBe(1_048_576);
  expect(statSync(reserve).mode & 0o777).toBe(0o600);
  room.makeRoom();
  expect(size()).toBe(1_048_576);
  disk.freeBytes = RESERVE_BYTES - 1;
  room.makeRoom();
  expect(size()).toBeUndefined();
  expect(room.isReserveGone()).toBe(true);
});

test.each([0, 512])("without the reserve, writes also need room for it (%i kept free)", (floor) => {
  const { room, disk, size } = reserving(floor);
  disk.freeBytes = FULL_BELOW + floor - 1;
  room.reserve();
  expect(() => room.require()).toThrow(expect.objectContaining({ code: "storage-full" }));
  expect(size()).toBeUndefined();
  disk.freeBytes = FULL_BELOW + floor;
  room.require();
  expect(size()).toBe(RESERVE_BYTES);
});

test("a truncated reserve is created again", () => {
  const { room, size, reserve } = reserving();
  writeFileSync(reserve, "");
  expect(room.isReserveGone()).toBe(true);
  room.require();
  expect(size()).toBe(RESERVE_BYTES);
});

test("a reserve that cannot be created does not block writes", () => {
  const reserve = path.join(temporaryDirectory(), "none", "reserve");
  const room = new FreeRoom(import.meta.filename, { bytesMin: 0, reserve });
  expect(() => room.require()).not.toThrow();
});

test("the last use of a key is not written without the reserve", async () => {
  const directory = temporaryDirectory();
  const reserve = path.join(directory, "tachograph.reserve");
  const { keys } = await openStoreIn(directory, { reserve });
  const digest = "0".repeat(64);
  const key = { name: "robot", digest, scopes: ["read"], createdAtMs: 0 } as const;
  await keys.add({ ...key, expiresAtMs: undefined });
  rmSync(reserve);
  await keys.touch(digest, 120_000);
  expect((await keys.find(digest))?.lastUsedAtMs).toBeUndefined();
  writeFileSync(reserve, new Uint8Array(RESERVE_BYTES));
  await keys.touch(digest, 120_000);
  expect((await keys.find(digest))?.lastUsedAtMs).toBe(120_000);
});
