import { expect, test } from "vitest";
import { requestsByLabel, stored } from "../../test/support/batches.ts";
import {
  follow,
  HEADER,
  importWhole,
  K6,
  PAUSE,
  ROWS,
  type Step,
  storedByImport,
} from "../../test/support/follow.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import { UserError } from "../model/errors.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../store/store.ts";

test("rows are visible within 1.4 s of being written", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const seen: number[] = [];
  const look = async (): Promise<void> => {
    const points = await requestsByLabel(store).catch(() => []);
    seen.push(points.reduce((sum, [, requests]) => sum + requests, 0));
  };
  const looks = Array.from({ length: 7 }, () => () => void look());
  file.append(HEADER + ROWS.slice(0, 3).join(""));
  await follow(file, [...looks, () => file.append(ROWS[3] ?? ""), ...looks], { store });
  expect(seen[6]).toBe(3);
  expect(seen.at(-1)).toBe(4);
});

test("the last line is held until it is complete", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(`${HEADER}${ROWS[0]}1700000000250,1`);
  const requests: [string, number][][] = [];
  const look = (): void => void requestsByLabel(store).then((found) => requests.push(found));
  const steps = [...PAUSE, look, () => file.append("00,cart,true,1\n"), ...PAUSE];
  const [report] = await follow(file, steps, { store });
  expect(requests).toEqual([[["pay", 1]]]);
  expect(report).toMatchObject({
    samples: { read: 2, recorded: 2, rejected: 0 },
    truncatedAt: undefined,
  });
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

test("a file is followed until it has been idle for long enough", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 5).join(""));
  const steps = [...Array.from({ length: 140 }, () => () => undefined), () => file.append("x\n")];
  const [report] = await follow(file, steps, { store, isInterrupted: false });
  expect(report).toMatchObject({
    loadTestId: "run",
    format: "jmeter-csv",
    source: "a.jtl",
    samples: { read: 6, recorded: 5, rejected: 1 },
    endpoints: 2,
    from: 1_700_000_000,
    until: 1_700_000_001,
    alreadyImported: false,
  });
});

test("waits for a missing file as long as for an idle one", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const late = [...PAUSE, () => file.append(HEADER + ROWS.join("")), ...PAUSE];
  await follow(file, late, { store });
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
  await expect(follow(new WrittenFile(), [], { isInterrupted: false })).rejects.toThrow(
    'cannot follow "a.jtl": there was no such file for 30 s',
  );
  await expect(follow(new WrittenFile(), [], {})).rejects.toThrow("until it was interrupted");
});

test("a replaced file is read to its end before the one in its place", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const [first, second] = [HEADER + ROWS.slice(0, 9).join(""), HEADER + ROWS.slice(9).join("")];
  file.append(first.slice(0, 100));
  const rotate: Step = () => {
    file.append(first.slice(100));
    file.replace(second);
  };
  const reports = await follow(file, [...PAUSE, rotate, ...PAUSE], { store });
  expect(reports.map(({ samples, notes }) => [samples.recorded, notes])).toEqual([
    [9, ["another file took its place: that one is read next"]],
    [31, []],
  ]);
  const whole = Buffer.from(HEADER + ROWS.join(""));
  expect(await stored(store)).toEqual(await storedByImport(whole));
});

test("a file replaced just before the end is still read", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 9).join(""));
  const rotate: Step = () => file.replace(HEADER + ROWS.slice(9).join(""));
  const reports = await follow(file, [...PAUSE, rotate], { store });
  expect(reports.map(({ samples }) => samples.recorded)).toEqual([9, 31]);
});

test("a file that was made shorter and has grown beyond what was read is read from the start", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 9).join(""));
  const rewrite: Step = () => {
    file.truncate(0);
    file.append(HEADER + ROWS.slice(9).join(""));
  };
  const reports = await follow(file, [...PAUSE, rewrite, ...PAUSE], { store });
  expect(reports.map(({ samples, rejections }) => [samples.recorded, rejections])).toEqual([
    [9, []],
    [31, []],
  ]);
  const whole = Buffer.from(HEADER + ROWS.join(""));
  expect(await stored(store)).toEqual(await storedByImport(whole));
});

test("a file that lost its last rows and got others counts as it is now", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const first = HEADER + ROWS.slice(0, 5).join("");
  file.append(first);
  const goOn: Step = () => file.append(ROWS.slice(5, 15).join(""));
  const shorten: Step = () => file.truncate(first.length);
  const others: Step = () => file.append(ROWS.slice(20).join(""));
  await follow(file, [...PAUSE, goOn, ...PAUSE, shorten, ...PAUSE, others, ...PAUSE], { store });
  const whole = Buffer.from(first + ROWS.slice(20).join(""));
  expect(await stored(store)).toEqual(await storedByImport(whole));
});

test("a file that lost rows while nothing followed it is said to be shorter than what is stored", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 5).join(""));
  const goOn: Step = () => file.append(ROWS.slice(5, 15).join(""));
  const [first] = await follow(file, [...PAUSE, goOn, ...PAUSE], { store });
  const size = file.bytes.length;
  file.truncate(size - 10);
  const [second] = await follow(file, PAUSE, { store });
  expect([first?.notes, second?.notes]).toEqual([
    [],
    [
      `the file has ${size - 10} bytes, but ${size} of it were stored: these stay, and nothing before byte ${size} is read again`,
    ],
  ]);
});

test("a truncated file is read from the start, and that is reported", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 9).join(""));
  const size = file.bytes.length;
  const shorten: Step = () => {
    file.truncate(0);
    file.append(HEADER + ROWS.slice(9, 12).join(""));
  };
  const steps = [...PAUSE, shorten, ...PAUSE, () => file.append(ROWS.slice(12).join("")), ...PAUSE];
  const reports = await follow(file, steps, { store });
  expect(reports.map(({ samples }) => samples.recorded)).toEqual([9, 31]);
  expect(reports[0]?.notes.join()).toContain(`made shorter after byte ${size} had been read`);
  const whole = Buffer.from(HEADER + ROWS.join(""));
  expect(await stored(store)).toEqual(await storedByImport(whole));
});

test.each([
  ["gzip", Buffer.of(0x1f, 0x8b, 8, 0), /compressed \(gzip\) and cannot be followed/],
  ["zstd", Buffer.of(0x28, 0xb5, 0x2f, 0xfd), /compressed \(zstd\) and cannot be followed/],
  ["zip", Buffer.from("PK\u0003\u0004"), /zip archive/],
  ["UTF-16", Buffer.from("\uFEFFtimeStamp,elapsed", "utf16le"), /UTF-16 and cannot be followed/],
  ["nothing known", Buffer.from("hello\nworld\n"), /cannot read the source/],
])("%s is rejected with a message", async (_, bytes, message) => {
  const file = new WrittenFile();
  file.append(bytes);
  await expect(follow(file, [], {})).rejects.toThrow(message);
});

test("a byte order mark is not part of the first line", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(`\uFEFF${HEADER}oops\n${ROWS.join("")}`);
  const [report] = await follow(file, PAUSE, { store });
  expect(report?.rejections).toMatchObject([{ line: 2, byte: 3 + HEADER.length }]);
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

test("a file that another follower started meanwhile is not counted twice", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 9).join(""));
  let looks = 0;
  const liveSources: Store["points"]["liveSources"] = async (id) => {
    // Between this follower's first poll and its first batch, the other one stores more.
    if (looks++ === 1) {
      file.append(ROWS.slice(9).join(""));
      await follow(file, [], { store });
    }
    return store.points.liveSources(id);
  };
  const target = { ...store, points: { ...store.points, liveSources } };
  await expect(follow(file, PAUSE, { target })).rejects.toThrow("is followed into load test");
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

test("an import of the finished file replaces the followed data", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 20).join(""));
  await follow(file, PAUSE, { store });
  file.append(ROWS.slice(20).join(""));
  expect((await importWhole(store, file.bytes)).alreadyImported).toBe(false);
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
  expect(await store.points.liveSources("run")).toEqual([]);
  const [report] = await follow(file, PAUSE, { store });
  expect(report?.alreadyImported).toBe(true);
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

test("an earlier copy of a followed file adds nothing", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.slice(0, 20).join(""));
  const copies: Buffer[] = [];
  const copy = (): void => void copies.push(Buffer.from(file.bytes));
  await follow(file, [...PAUSE, copy, () => file.append(ROWS[20] ?? ""), ...PAUSE], { store });
  expect((await importWhole(store, copies[0] as Buffer)).alreadyImported).toBe(true);
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

test("an imported file that has grown since is followed from its first byte", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(K6.slice(0, 1500));
  await importWhole(store, file.bytes);
  await follow(file, [...PAUSE, () => file.append(K6.slice(1500)), ...PAUSE], { store });
  expect(await stored(store)).toEqual(await storedByImport(Buffer.from(K6)));
  expect(await store.points.sources("run")).toEqual([]);
});

test("a follower waits while the store is unavailable, and reports it once", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  file.append(HEADER + ROWS.join(""));
  let failures = 3;
  const target = {
    ...store,
    points: {
      ...store.points,
      append: (batch: PointBatch) =>
        failures-- > 0
          ? Promise.reject(new UserError("storage-full", "the disk is full"))
          : store.points.append(batch),
    },
  };
  const warned: string[] = [];
  await follow(file, [...PAUSE, ...PAUSE], { store, target, warned });
  expect(warned).toEqual(["the disk is full: trying again"]);
  expect(await stored(store)).toEqual(await storedByImport(file.bytes));
});

function rowOf(label: string, second: number): string {
  return `17000000${second}250,100,${label},true,1\n`;
}

test("followed labels over the limit count under (other), even after a kill", async () => {
  const pieces = [
    HEADER + rowOf("a", 10) + rowOf("b", 11),
    rowOf("c", 12) + rowOf("d", 12) + rowOf("e", 12),
    rowOf("a", 13) + rowOf("d", 13) + rowOf("f", 13),
  ];
  const labelLimit = { max: 3 };
  const whole = openMemoryStore({ labelLimit });
  const file = new WrittenFile();
  file.append(pieces[0] ?? "");
  const steps = pieces.slice(1).flatMap((piece) => [...PAUSE, () => file.append(piece)]);
  const [report] = await follow(file, steps, { store: whole });
  const expected = [
    ["(other)", 4],
    ["a", 2],
    ["b", 1],
    ["c", 1],
  ];
  expect(await requestsByLabel(whole)).toEqual(expected);
  expect(report).toMatchObject({ endpoints: 4, other: { requests: 4, labels: 3, labelsMax: 3 } });
  expect(report?.notes.join()).toContain("4 requests of 3 labels beyond the 3 ");

  // Killed just before or after each stored append, and restarted each time.
  const store = openMemoryStore({ labelLimit });
  const part = new WrittenFile();
  const killed = new Error("killed");
  let left = 0;
  const dying = {
    ...store,
    points: {
      ...store.points,
      async append(batch: PointBatch) {
        const answer = await store.points.append(batch);
        left -= 1;
        if (left === 0) throw killed;
        return answer;
      },
    },
  };
  for (const piece of pieces) {
    part.append(piece);
    left = 1;
    await expect(follow(part, PAUSE, { target: dying })).rejects.toBe(killed);
    await follow(part, PAUSE, { store });
  }
  expect(await requestsByLabel(store)).toEqual(expected);
  expect(await stored(store)).toEqual(await stored(whole));
});
