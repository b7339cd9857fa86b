import { expect, test } from "vitest";
import { batchOf } from "../../test/support/batches.ts";
import { ALL_SECONDS, type SecondRange } from "../model/columns.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { readUsers } from "./read-users.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** Generator, second, and either the active users or those who came and went. */
type Row = readonly [
  generator: number,
  second: number,
  active: number,
  came?: number,
  left?: number,
];

async function usersIn(sources: readonly (readonly Row[])[], range: SecondRange = ALL_SECONDS) {
  const store = await memoryStoreWith();
  for (const [source, rows] of sources.entries()) {
    const column = (index: number) => rows.map((row) => row[index] ?? 0);
    const counts = {
      generator: Uint32Array.from(column(0)),
      second: Uint32Array.from(column(1)),
      active: Float64Array.from(column(2)),
      started: Float64Array.from(column(3)),
      ended: Float64Array.from(column(4)),
    };
    const users = { generators: ["", "b", "host"], counts };
    await store.points.append(batchOf([], { sourceId: `source ${source}`, users }));
  }
  const points = await readUsers(store.points, { loadTestId: "run", range });
  return points.map(({ second, users }) => [second, users]);
}

test("a reported number holds until the next one, and ends with the last", async () => {
  const rows: Row[] = [
    [0, 10, 3],
    [0, 11, 3],
    [0, 15, 5],
    [0, 16, 0],
    [0, 17, 2],
  ];
  expect(await usersIn([rows])).toEqual([
    [10, 3],
    [15, 5],
    [16, 0],
    [17, 2],
    [18, 0],
  ]);
});

test("generators and sources add up", async () => {
  const rows: Row[] = [
    [0, 10, 3],
    [0, 14, 3],
    [1, 12, 4],
    [1, 13, 4],
  ];
  expect(await usersIn([rows, [[0, 13, 10]]])).toEqual([
    [10, 3],
    [12, 7],
    [13, 17],
    [14, 3],
    [15, 0],
  ]);
});

test("a file that was split within a second does not double its users", async () => {
  // JMeter recorded 4 threads throughout.
  expect(
    await usersIn([
      [[0, 10, 4]],
      [
        [0, 10, 4],
        [0, 11, 4],
      ],
    ]),
  ).toEqual([
    [10, 4],
    [12, 0],
  ]);
  // Three parts, given in another order; 5 users in the second of the second cut.
  const parts: Row[][] = [
    [
      [0, 20, 5],
      [0, 25, 1],
    ],
    [
      [0, 10, 3],
      [0, 20, 4],
    ],
    [
      [0, 5, 2],
      [0, 10, 2],
    ],
  ];
  expect(await usersIn(parts)).toEqual([
    [5, 2],
    [10, 3],
    [20, 5],
    [25, 1],
    [26, 0],
  ]);
});

test("parts from two machines are joined per machine", async () => {
  const parts: Row[][] = [
    [
      [0, 1, 4],
      [0, 9, 4],
    ],
    [
      [0, 1, 6],
      [0, 9, 6],
    ],
    [
      [0, 9, 6],
      [0, 12, 6],
    ],
    [
      [0, 9, 4],
      [0, 12, 4],
    ],
  ];
  expect(await usersIn(parts)).toEqual([
    [1, 10],
    [13, 0],
  ]);
});

test("sources that share two seconds, or have other generators, add up", async () => {
  expect(
    await usersIn([
      [
        [0, 10, 4],
        [0, 11, 4],
      ],
      [
        [0, 10, 4],
        [0, 11, 4],
      ],
    ]),
  ).toEqual([
    [10, 8],
    [12, 0],
  ]);
  expect(await usersIn([[[0, 10, 4]], [[1, 10, 4]]])).toEqual([
    [10, 8],
    [11, 0],
  ]);
  const came: Row[] = [[0, 10, 0, 2, 2]];
  expect(await usersIn([came, came])).toEqual([
    [10, 4],
    [11, 0],
  ]);
});

test("files of one named generator at the same time are of one machine", async () => {
  // One JVM wrote passed and failed requests apart, and was started again later.
  const passed: Row[] = [
    [2, 10, 4],
    [2, 12, 10],
    [2, 20, 10],
  ];
  const failed: Row[] = [
    [2, 12, 9],
    [2, 15, 12],
  ];
  const later: Row[] = [[2, 40, 3]];
  expect(await usersIn([failed, later, passed])).toEqual([
    [10, 4],
    [12, 10],
    [15, 12],
    [20, 10],
    [21, 0],
    [40, 3],
    [41, 0],
  ]);
});

test("a user is active from start to end second, both included", async () => {
  const rows: Row[] = [
    [0, 10, 0, 2, 0],
    [0, 11, 0, 1, 1],
    [0, 20, 0, 0, 2],
  ];
  expect(await usersIn([rows])).toEqual([
    [10, 2],
    [11, 3],
    [12, 2],
    [21, 0],
  ]);
});

test.each([
  [{ from: 0, until: 12 }, [[10, 3]]],
  [
    { from: 12, until: 16 },
    [
      [12, 3],
      [15, 5],
    ],
  ],
  [{ from: 15, until: 16 }, [[15, 5]]],
  [{ from: 16, until: 30 }, [[16, 0]]],
  [{ from: 17, until: 30 }, []],
])("of %j it is %j", async (range, points) => {
  expect(
    await usersIn(
      [
        [
          [0, 10, 3],
          [0, 15, 5],
        ],
      ],
      range,
    ),
  ).toEqual(points);
});

test("an unknown load test is an error", async () => {
  const store = openMemoryStore();
  const query = { loadTestId: "nobody", range: ALL_SECONDS };
  await expect(readUsers(store.points, query)).rejects.toThrow('there is no run "nobody"');
});
