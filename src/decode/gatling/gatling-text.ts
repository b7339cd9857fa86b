import { GATLING_TEXT } from "./about.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { Format, LabelOptions } from "../decoder.ts";
import { type GatlingGroup, GatlingSamples, GROUP_SEPARATOR } from "./gatling-samples.ts";
import { LineReader, type LineHandler } from "../bytes/line-reader.ts";
import { LABEL_TOO_LONG, LabelTable } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";
import { TabFields } from "../csv/csv-record.ts";
import { WindowDecoder } from "../window-decoder.ts";

/** The `simulation.log` of Gatling 2.0 to 3.12: docs/internals/formats/gatling.md. */
export const gatlingText: Format = {
  ...GATLING_TEXT,
  recognises: isGatlingText,
  open(sink, options) {
    const [window, samples] = [new ByteWindow(), new GatlingSamples(sink, options)];
    const rows = new GatlingTextRows(samples, options.labels);
    return new WindowDecoder(window, {
      reader: new LineReader(window, rows, sink),
      rows: samples,
      generators: samples.generators,
      finish: () => [...samples.notes(), ...rows.notes()],
    });
  },
};

/** First lines: `RUN` (in Gatling 1 with a date of 14 digits), `ASSERTION`, or a row of a log without beginning. */
const FIRST_LINES = [
  /^RUN\t(?!\d{14}\t)/,
  /^ASSERTION\t/,
  /^[^\t\n]*\t[^\t\n]*\tRUN\t\d{13}\t/,
  /^USER\t[^\n]*\t(?:START|END)\t\d{13}/,
  /^REQUEST\t[^\n]*\t\d{13}\t\d{13}\t(?:OK|KO)(?:\s|$)/,
];

/** Column of the kind of a row: the third in Gatling 2.0 and 2.1. */
const KIND_FIRST = 0;
const KIND_THIRD = 2;

const words = {
  run: Buffer.from("RUN"),
  assertion: Buffer.from("ASSERTION"),
  user: Buffer.from("USER"),
  request: Buffer.from("REQUEST"),
  group: Buffer.from("GROUP"),
  error: Buffer.from("ERROR"),
  start: Buffer.from("START"),
  end: Buffer.from("END"),
  passed: Buffer.from("OK"),
  failed: Buffer.from("KO"),
  /** Long.MIN_VALUE: unknown time. */
  never: Buffer.from("-9223372036854775808"),
} as const;

function isGatlingText(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head).trimStart();
  return FIRST_LINES.some((line) => line.test(text));
}

/** Users at a time whose scenario is remembered. */
const USERS_MAX = 1_000_000;

interface NamedRequest {
  readonly label: number;
  readonly group: string;
  readonly set: number;
}

type RowKind = "request" | "user" | "group" | "error" | "other";

/** A user id; Gatling 2.0 has a dash between two numbers. */
const USER_ID = /^-?\d+(?:-\d+)?$/;

/** Last column of a RUN row. */
const VERSION = /^\d+\.\d/;

/** Reads rows of a text log by number and contents of columns: its version is useless (`2.0` in all of 2.x). */
class GatlingTextRows implements LineHandler {
  readonly repairs: GatlingSamples["repairs"];
  readonly #samples: GatlingSamples;
  readonly #fields = new TabFields();
  /** Log text of groups and name, and what it stands for. */
  readonly #paths: LabelTable;
  readonly #names: NamedRequest[] = [];
  /** Scenarios of active users by number: in 3.0 to 3.3, requests have only that. */
  readonly #scenarios = new Map<string, string>();
  #kindColumn: number | undefined;
  /** Whether rows have a user number; the first USER row tells. */
  #hasUserId: boolean | undefined;
  /** Whether a line that is no row continues the row before. */
  #isOpen = false;
  /** Whether the log ends before or within the message of the current request. */
  #lacksMessage = false;

  /** `labels` limits the cached paths as well. */
  constructor(samples: GatlingSamples, { labelsMax }: LabelOptions = {}) {
    this.#samples = samples;
    this.repairs = samples.repairs;
    this.#paths = new LabelTable({ labelsMax });
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    this.#fields.split(bytes, from, to);
    const kind = this.#kind();
    if (kind === undefined) {
      return this.#isOpen ? undefined : `not a Gatling row: got ${quoted(this.#fields.text(0))}`;
    }
    this.#isOpen = (kind === "other" || kind === "group") && !this.#isClosed();
    if (kind === "request") return this.#takeRequest(bytes);
    if (kind === "user") return this.#takeUser();
    if (kind === "error") this.#samples.error();
    if (kind === "group") this.#samples.group(this.#isOpen ? undefined : this.#group());
    return undefined;
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    const fields = this.#fields;
    fields.split(bytes, from, to);
    const kind = this.#kind();
    if (kind === "request") {
      const outcome = this.#outcomeColumn();
      this.#lacksMessage = outcome !== undefined && fields.is(outcome, words.failed);
      return outcome !== undefined;
    }
    if (kind === "user" || kind === "error") return isInstant(fields, fields.count - 1);
    return (kind === "other" || kind === "group") && this.#isClosed();
  }

  /** Whether an unused row is complete: groups and descriptions can contain line breaks. */
  #isClosed(): boolean {
    const fields = this.#fields;
    const last = fields.count - 1;
    if (fields.is(0, words.assertion)) return true;
    if (fields.is(this.#kindColumn ?? KIND_FIRST, words.run))
      return VERSION.test(fields.text(last));
    return fields.is(last, words.passed) || fields.is(last, words.failed);
  }

  #kind(): RowKind | undefined {
    if (this.#kindColumn !== undefined) return this.#kindIn(this.#kindColumn);
    const first = this.#kindIn(KIND_FIRST);
    if (first !== undefined) {
      if (!this.#fields.is(KIND_FIRST, words.assertion)) this.#kindColumn = KIND_FIRST;
      return first;
    }
    const third = this.#kindIn(KIND_THIRD);
    if (third !== undefined) this.#kindColumn = KIND_THIRD;
    return third;
  }

  #kindIn(column: number): RowKind | undefined {
    const fields = this.#fields;
    if (fields.is(column, words.request)) return "request";
    if (fields.is(column, words.user)) return "user";
    if (fields.is(column, words.error)) return "error";
    if (fields.is(column, words.group)) return "group";
    return fields.is(column, words.run) || fields.is(0, words.assertion) ? "other" : undefined;
  }

  #takeUser(): string | undefined {
    const fields = this.#fields;
    const isThird = this.#kindColumn === KIND_THIRD;
    // A scenario can be called START.
    const column = [3, 2, 1].find((each) => isUserEvent(fields, each));
    if (column === undefined) return `no START or END: got ${fields.count} columns`;
    this.#hasUserId ??= !isThird && column === 3;
    const isStart = fields.is(column, words.start);
    // In Gatling 2.0 and 2.1 the start has its time first, and 0 for the unknown end.
    const ms = fields.whole(isThird && isStart ? column + 1 : fields.count - 1);
    if (ms === undefined) return "no time of a user event: want milliseconds in the last column";
    if (this.#hasUserId) this.#remember(isStart);
    return this.#samples.user(isStart, ms);
  }

  #remember(isStart: boolean): void {
    const user = this.#fields.text(2);
    if (!isStart) this.#scenarios.delete(user);
    else if (this.#scenarios.size < USERS_MAX) this.#scenarios.set(user, this.#fields.text(1));
  }

  #takeRequest(bytes: Buffer): string | undefined {
    const fields = this.#fields;
    const outcome = this.#outcomeColumn();
    if (outcome === undefined) {
      this.#isOpen = true;
      return `the row is incomplete: got ${fields.count} columns, want times and OK or KO among them`;
    }
    if (fields.is(outcome - 1, words.never)) {
      return "no request, but an incoming message: it has no end";
    }
    const isThird = this.#kindColumn === KIND_THIRD;
    const start = outcome - (isThird ? 4 : 2);
    const groups = isThird ? KIND_THIRD + 1 : this.#groupsColumn(start);
    const startMs = start > groups + 1 ? fields.whole(start) : undefined;
    const endMs = fields.whole(outcome - 1);
    if (startMs === undefined || endMs === undefined) {
      return `the row is incomplete: got ${fields.count} columns, want groups and name before the times`;
    }
    if (!isInstant(fields, start) && fields.whole(start - 1) !== undefined) {
      return "a tab is inside a time: want 13 digits of start and end";
    }
    const failure = fields.is(outcome, words.passed) ? undefined : this.#message(outcome + 1);
    const { label, group, set } = this.#name(bytes, groups, start - 1);
    const scenario = this.#scenarioOf(groups);
    const facets = scenario === "" ? set : this.#samples.facetsOf(group, scenario);
    return this.#samples.request({ label, set: facets, startMs, endMs, failure });
  }

  /** In front of the groups: scenario and user up to 2.3, the user from 3.0 on, nothing since 3.4. Empty: unknown. */
  #scenarioOf(groups: number): string {
    if (groups === 1) return "";
    const user = this.#fields.text(1);
    if (groups === 2) return this.#scenarios.get(user) ?? "";
    return this.#kindColumn === KIND_THIRD ? this.#fields.text(0) : user;
  }

  /** The outcome is the last field; before it, up to 2.1, the numbers of passed and failed requests. */
  #group(): GatlingGroup | undefined {
    const fields = this.#fields;
    const isThird = this.#kindColumn === KIND_THIRD;
    const start = fields.count - (isThird ? 6 : 4);
    // As in a request, but without its name.
    const groups = isThird ? KIND_THIRD + 1 : this.#groupsColumn(start + 1);
    if (start <= groups) return undefined;
    const [startMs, endMs, responseMs] = [0, 1, 2].map((each) => fields.whole(start + each));
    if (startMs === undefined || endMs === undefined || responseMs === undefined) return undefined;
    const path = fields.text(groups, start - 1).replaceAll(",", GROUP_SEPARATOR);
    return { path, startMs, endMs, responseMs };
  }

  /** The last OK or KO after two times: names and messages can contain tabs. */
  #outcomeColumn(): number | undefined {
    const fields = this.#fields;
    for (let column = fields.count - 1; column > 2; column--) {
      const isOutcome = fields.is(column, words.passed) || fields.is(column, words.failed);
      if (isOutcome && isTime(fields, column - 1) && isTime(fields, column - 2)) return column;
    }
    return undefined;
  }

  /**
   * Start of the groups: after the kind (since 3.4), the user (3.0 to 3.3), or scenario and user (2.2 and 2.3).
   * An extra column is a name with a tab.
   */
  #groupsColumn(start: number): number {
    const inFront = start - 1;
    if (this.#hasUserId === false || inFront < 3) return 1;
    if (inFront > 3 && USER_ID.test(this.#fields.text(2))) return 3;
    return USER_ID.test(this.#fields.text(1)) ? 2 : 1;
  }

  notes(): string[] {
    if (!this.#lacksMessage) return [];
    return ["the log ends inside a failure message: the request counts without it"];
  }

  /** Gatling writes a blank for no message. Tabs make further columns. */
  #message(column: number): string {
    const fields = this.#fields;
    if (column >= fields.count || this.#lacksMessage) return "";
    const text = fields.text(column, fields.count - 1);
    return text === " " ? "" : text;
  }

  /** Groups are one comma-joined column; the name extends to column `last`. */
  #name(bytes: Buffer, groups: number, last: number): NamedRequest {
    const from = this.#fields.from(groups);
    const to = this.#fields.to(last);
    const path = this.#paths.indexOf(bytes, from, to);
    if (path === LABEL_TOO_LONG || this.#paths.isOverLimit(path)) {
      return this.#newName(bytes, groups, last);
    }
    const known = this.#names[path];
    if (known !== undefined) return known;
    const name = this.#newName(bytes, groups, last);
    if (name.label !== LABEL_TOO_LONG) this.#names[path] = name;
    return name;
  }

  #newName(bytes: Buffer, groups: number, last: number): NamedRequest {
    const fields = this.#fields;
    const names = bytes.toString("latin1", fields.from(groups), fields.to(groups)).split(",");
    const path = Buffer.from(names.join(GROUP_SEPARATOR), "latin1");
    const name = bytes.subarray(fields.from(groups + 1), fields.to(last));
    const label = this.#samples.labelOf(path, name);
    const group = path.toString();
    return { label, group, set: this.#samples.facetsOf(group) };
  }
}

function isUserEvent(fields: TabFields, column: number): boolean {
  return fields.is(column, words.start) || fields.is(column, words.end);
}

/** Gatling writes Long.MIN_VALUE for a missing end. */
function isTime(fields: TabFields, column: number): boolean {
  return fields.whole(column) !== undefined || fields.is(column, words.never);
}

/** 13 digits: ms since the epoch. */
function isInstant(fields: TabFields, column: number): boolean {
  return fields.to(column) - fields.from(column) === 13 && fields.whole(column) !== undefined;
}
