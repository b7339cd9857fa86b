import { expect, test } from "vitest";
import { FreeRoom } from "./free-room.ts";

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
])("a disk with %s is taken for full", (_, room, message) => {
  const refusal = { code: "storage-full", message: expect.stringContaining(message) };
  expect(() => room.require()).toThrow(expect.objectContaining(refusal));
});

test("the disk is the one that the file is on", () => {
  const room = new FreeRoom(import.meta.filename, { bytesMin: 1 });
  expect(() => room.require()).not.toThrow();
});
