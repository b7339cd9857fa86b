import type { Database } from "./database.ts";

/** As many as the sequence adds. */
const NUMBERS_AT_ONCE = 1000;

/** Numbers of load tests, sources and blocks: unique in the database, never used again, in no order between processes. */
export class Numbers {
  readonly #database: Database;
  #next = 0;
  #end = 0;
  #losses = 0;
  #more: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns this many, taken for good. */
  async reserve(count: number): Promise<readonly number[]> {
    // A standby without the last transactions would give the same ones again.
    if (this.#losses !== this.#database.losses) this.#end = this.#next;
    this.#losses = this.#database.losses;
    const numbers: number[] = [];
    while (numbers.length < count) {
      if (this.#next === this.#end) await (this.#more ??= this.#fetch());
      else numbers.push(this.#next++);
    }
    return numbers;
  }

  async #fetch(): Promise<void> {
    try {
      const [row] = await this.#database.write({
        sql: "SELECT nextval('numbers') AS first",
        values: [],
      });
      this.#next = Number(row?.["first"]);
      this.#end = this.#next + NUMBERS_AT_ONCE;
    } finally {
      this.#more = undefined;
    }
  }
}
