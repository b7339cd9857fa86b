import type { ClusterSettings } from "../../../src/store/clickhouse/cluster/settings.ts";

/** Times are UNIX seconds. */
type Cell = string | number | null;

/** A database on the first server, queried as a user would. */
export interface SqlDatabase {
  readonly name: string;
  run(sql: string): Promise<string>;
  rows(sql: string): Promise<readonly (readonly Cell[])[]>;
}

const MIDNIGHT = "2026-11-21 00:00:00";

export function sqlDatabase({ shards, database, user, password }: ClusterSettings): SqlDatabase {
  const url = `${shards[0]?.[0]}/?database=${database}`;
  const credentials = {
    ...(user === undefined ? {} : { "X-ClickHouse-User": user }),
    ...(password === undefined ? {} : { "X-ClickHouse-Key": password }),
  };
  const run = async (sql: string): Promise<string> => {
    const answer = await fetch(url, { method: "POST", headers: credentials, body: sql });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${text.slice(0, 500)}\n${sql}`);
    return text;
  };
  return {
    name: database,
    run,
    async rows(sql) {
      // Servers write times in their own zone.
      const midnight = Number(await run(`SELECT toUInt32(toDateTime('${MIDNIGHT}'))`));
      const offsetSeconds = unixSecond(MIDNIGHT) - midnight;
      const text = await run(`${sql} FORMAT TabSeparated`);
      const lines = text.split("\n").slice(0, -1);
      return lines.map((line) => line.split("\t").map((cell) => cellOf(cell, offsetSeconds)));
    },
  };
}

function cellOf(text: string, offsetSeconds: number): Cell {
  if (text === "\\N") return null;
  if (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return unixSecond(text) - offsetSeconds;
  return text;
}

function unixSecond(text: string): number {
  // How 18.16 writes second 0.
  if (text.startsWith("0000")) return 0;
  return Date.parse(`${text.replace(" ", "T")}Z`) / 1000;
}
