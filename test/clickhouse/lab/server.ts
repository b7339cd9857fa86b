import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Lifetime, Program } from "./program.ts";
import { type ServerSettings, writeServerSettings } from "./server-settings.ts";

/** The message of 18.16 if it does not trust its own parts after SIGKILL. */
const REFUSAL = "doesn't look like the set of parts in ZooKeeper";

/** One clickhouse-server of Debian as a plain process. */
export class Server {
  readonly program: Program;
  readonly url: string;
  readonly #settings: ServerSettings;

  constructor(settings: ServerSettings) {
    const { name, folder, ports } = settings;
    const config = path.join(folder, "config.xml");
    this.program = new Program(name, folder, ["clickhouse-server", `--config-file=${config}`]);
    this.url = `http://127.0.0.1:${ports.http}`;
    this.#settings = settings;
  }

  get name(): string {
    return this.program.name;
  }

  /**
   * Resolves when it responds. After SIGKILL it may refuse to start because its parts differ from
   * ZooKeeper's. Then it is told to restore them (unexpected ones go to `detached/`, the rest comes from the
   * other replica), and `isRestored` is set.
   */
  async start(lifetime: Lifetime): Promise<{ readonly isRestored: boolean }> {
    writeServerSettings(this.#settings);
    const loggedBefore = this.program.logged("errors.log").length;
    try {
      await this.#startOnce(lifetime);
      return { isRestored: false };
    } catch (error) {
      if (!this.program.logged("errors.log").slice(loggedBefore).includes(REFUSAL)) throw error;
      await this.program.end();
      writeFileSync(path.join(this.program.folder, "data/flags/force_restore_data"), "");
      await this.#startOnce(lifetime);
      return { isRestored: true };
    }
  }

  async #startOnce(lifetime: Lifetime): Promise<void> {
    this.program.start(lifetime);
    const answers = (): Promise<boolean> => this.sql("SELECT 1").then(Boolean, () => false);
    await this.program.untilReady(answers);
  }

  /** The response as tab-separated text. Throws the server's error. */
  async sql(statement: string, timeoutMs = 60_000): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(this.url, { method: "POST", body: statement, signal });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${this.name}: ${text.slice(0, 500)}`);
    return text;
  }
}
