import type { Unrecorded } from "../model/source-quality.ts";

/** A kind of file that people give by mistake. */
export interface Refusal {
  /** Continues "it looks like". */
  readonly what: string;
  /** All must match the text of the head. `^` without the `m` flag is the beginning of the text after its blanks. */
  readonly signs: readonly RegExp[];
  /** What the user can do, as a clause. */
  readonly cure?: string;
}

/** A row of the table in docs/tools/README.md, in Markdown. */
interface ToolRow {
  /** @default the tool and its page */
  readonly tool?: string;
  readonly record: string;
  /** What is known of each request. @default `yes` for a format */
  readonly requests?: string;
  /** @default `yes`, unless the format does not record them */
  readonly sizes?: string;
  readonly failures?: string;
  /** @default `yes`, unless the format does not record them */
  readonly users?: string;
  /** How results arrive during the run. @default not at all */
  readonly live?: string;
}

/** What users should know of a load tool. */
export interface ToolAbout {
  /** Its name, as users know it. */
  readonly tool: string;
  /** In docs/tools. */
  readonly page?: string;
  readonly row?: ToolRow;
  /** What is measured beside requests, in Markdown. @default nothing */
  readonly measures?: string;
  /** Other files of the tool, tried in this order. */
  readonly refusals?: readonly Refusal[];
}

/** What a format says of itself, without its decoder: plain data, of which lists, documents and tests are made. */
export interface FormatAbout extends ToolAbout {
  /** Shown to users, such as `jmeter-csv`. */
  readonly name: string;
  /** Fields that a label template may name, or the columns of the header. Absent: labels cannot be chosen. */
  readonly labelFields?: readonly string[] | "columns";
  /** What docs/labels.md says of these fields. @default a list of them */
  readonly labelText?: string;
  /** What it knows of a single request beside its time, code and message, in Markdown. @default nothing */
  readonly details?: string;
  /** What it never records. @default nothing */
  readonly unrecorded?: readonly Unrecorded[];
  /** Whether requests are recorded as averages of windows only. */
  readonly isAveraged?: true;
  /** Whether sources lack absolute times and need `DecodeOptions.startedAtMs`. */
  readonly needsStart?: true;
  /** Whether sources do not say the unit of their values and need `DecodeOptions.valueUnit`. */
  readonly needsUnit?: true;
}

/** Clauses of several cures. */
export const ONLY_TOTALS = "it holds totals of the whole run, not its requests";
export const OTHER_TOOL = "record with another tool, such as oha --output-format csv";
export const OWN_FORMAT = "write its requests as tachograph-csv (docs/own-format.md)";
