import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTimestamp, LogWriter } from "./log-writer.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const LINE = `${"x".repeat(1023)}\n`;

/** A target with room for this many bytes. */
function createWorld(room = Infinity) {
  const world = { text: "", room, lost: [] as number[], tries: 0 };
  const writer = new LogWriter({
    write(bytes) {
      world.tries += 1;
      const taken = Math.min(bytes.length, world.room);
      if (taken === 0) throw new Error("no room");
      world.room -= taken;
      world.text += Buffer.from(bytes.subarray(0, taken)).toString();
      return taken;
    },
    linesLost: (lines) => void world.lost.push(lines),
  });
  return { world, writer };
}

test("lines are buffered and written within half a second", () => {
  const { world, writer } = createWorld();
  writer.write("one\n");
  writer.write("two\n");
  expect(world.text).toBe("");
  vi.advanceTimersByTime(500);
  expect([world.text, world.tries]).toEqual(["one\ntwo\n", 1]);
  writer.write("y".repeat(16 * 1024));
  expect(world.tries).toBe(2);
});

test("a warning is written at once, with the lines before it", () => {
  const { world, writer } = createWorld();
  const [info, warning] = ['{"level":30,"msg":"one"}\n', '{"level":40,"msg":"notice_lost"}\n'];
  writer.write(info);
  expect(world.text).toBe("");
  writer.write(warning);
  expect([world.text, world.tries]).toEqual([info + warning, 1]);
});

test("keys are masked", () => {
  const { world, writer } = createWorld();
  writer.write('{"path":"/tgk_secret"}\n');
  writer.write('{"key":"tgl_0a-_Z"}\n');
  vi.advanceTimersByTime(500);
  expect(world.text).toBe('{"path":"/tgk_…"}\n{"key":"tgl_…"}\n');
});

test("the time of a line is the current millisecond", () => {
  let nowMs = Date.UTC(2026, 10, 26, 17, 35, 9, 150);
  const timestamp = createTimestamp(() => nowMs);
  const times = [timestamp(), timestamp()];
  nowMs += 1;
  expect([...times, timestamp()].map((text) => JSON.parse(`{${text.slice(1)}}`).time)).toEqual([
    "2026-11-26T17:35:09.150Z",
    "2026-11-26T17:35:09.150Z",
    "2026-11-26T17:35:09.151Z",
  ]);
});

test("lines wait for a full target, and none is lost or partially written", () => {
  const { world, writer } = createWorld(10);
  for (let n = 0; n < 100; n++) writer.write(LINE);
  vi.advanceTimersByTime(1000);
  expect(world.text).toBe("x".repeat(10));
  world.room = Infinity;
  vi.advanceTimersByTime(20);
  expect(world.text).toBe(LINE.repeat(100));
  expect(world.lost).toEqual([]);
});

test("over one mebibyte, further lines are dropped, which is reported once when there is room", () => {
  const { world, writer } = createWorld(0);
  for (let n = 0; n < 1030; n++) writer.write(LINE);
  vi.advanceTimersByTime(5000);
  expect(world.lost).toEqual([]);
  world.room = Infinity;
  vi.advanceTimersByTime(500);
  expect(world.text).toBe(LINE.repeat(1024));
  expect(world.lost).toEqual([6]);
  writer.write(LINE);
  vi.advanceTimersByTime(500);
  expect(world.text).toBe(LINE.repeat(1025));
  expect(world.lost).toEqual([6]);
});

test("closing writes buffered lines and does not wait for a full target", async () => {
  vi.useRealTimers();
  const held = createWorld();
  held.writer.write("last\n");
  await held.writer.close();
  expect(held.world.text).toBe("last\n");
  const stuck = createWorld(2);
  stuck.writer.write("last\n");
  await stuck.writer.close();
  expect(stuck.world.text).toBe("la");
});
