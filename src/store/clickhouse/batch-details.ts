/** Details of batches besides points and failures: active users, measures, percentiles reported by load tools. */

import { UserError } from "../../model/errors.ts";
import {
  decodeReported,
  labelsOfReported,
  renumberReported,
  type ReportedPercentiles,
} from "../../model/reported-percentiles.ts";
import { labelsOfMeasures } from "../../model/measures/measure-table.ts";
import { openMeasures } from "../block/measures-segment.ts";
import type { MeasurePart } from "../stored-measures.ts";
import type { SourceUsers } from "../stored-details.ts";
import type { UsersJson } from "./write/contents.ts";
import { asJson, asNumber, rowsIn, asText } from "./native/rows-in.ts";
import type { NativeBlock } from "./native/native-block.ts";
import type { BatchNote } from "./catalogue/sources.ts";
import { inBatches, ofShardKey, type VisibleRows } from "./read/visible.ts";

export interface BatchDetails {
  readonly loadTestId: string;
  readonly sourceId: string;
  readonly sequence: number;
  /** JSON: `UsersJson`. */
  readonly users: string;
}

/** Query for the details of those batches that have any. Needs at least one batch. */
export function detailsQuery({ database, shardKey, rows }: VisibleRows): string {
  return `SELECT load_test_id, text, users, sequence FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind = 'batch' AND users != '' AND ${inBatches(rows)}`;
}

export function detailsIn(blocks: readonly NativeBlock[]): readonly BatchDetails[] {
  const rows = rowsIn(blocks, {
    loadTestId: asText("load_test_id"),
    note: asJson<BatchNote>("text"),
    sequence: asNumber("sequence"),
    users: asText("users"),
  });
  return rows.map(({ note, ...details }) => ({ ...details, sourceId: note.sourceId }));
}

/** Throws `damaged-store`. */
export function usersIn(details: BatchDetails): SourceUsers["users"] {
  const users = parsed(details);
  return {
    generators: users.generators,
    counts: {
      generator: Uint32Array.from(users.generator),
      second: Uint32Array.from(users.second),
      active: Float64Array.from(users.active),
      started: Float64Array.from(users.started),
      ended: Float64Array.from(users.ended),
    },
  };
}

/**
 * Returns the percentiles of a batch reported by the load tool; `undefined` if it has none. `numberOf` gets
 * the hash of an endpoint. Throws `damaged-store`, also for an unknown endpoint.
 */
export function reportedIn(
  details: BatchDetails,
  numberOf: (hash: string) => number | undefined,
): ReportedPercentiles | undefined {
  const { percentiles } = parsed(details);
  if (percentiles === undefined) return undefined;
  const { hashes, rows } = percentiles;
  const isText = typeof rows === "string" && Array.isArray(hashes);
  const reported = isText ? decodeReported(Buffer.from(rows, "base64")) : undefined;
  const numberOfLabel = (label: number) => numberOf(hashes[label] ?? "");
  const isKnown =
    reported &&
    [...labelsOfReported(reported)].every((label) => numberOfLabel(label) !== undefined);
  if (isKnown !== true) throw damaged(details, "reported percentiles");
  return renumberReported(reported, numberOfLabel);
}

/** Returns the measures of a batch; `undefined` if it has none. The rest is as in `reportedIn`. */
export function measuresIn(
  details: BatchDetails,
  numberOf: (hash: string) => number | undefined,
): MeasurePart | undefined {
  const { measures } = parsed(details);
  if (measures === undefined) return undefined;
  const opened = openMeasures(Buffer.from(measures.segment, "base64"));
  const numberOfLabel = (label: number) => numberOf(measures.hashes[label] ?? "");
  if ([...labelsOfMeasures(opened)].some((label) => numberOfLabel(label) === undefined)) {
    throw damaged(details, "measures");
  }
  const series = opened.series.map((each) =>
    each.label === undefined ? each : { ...each, label: numberOfLabel(each.label) },
  );
  return {
    series,
    unstored: opened.unstored,
    table: (number) => ({ ...opened.table(number), series: series.slice(number, number + 1) }),
  };
}

function parsed(details: BatchDetails): UsersJson {
  try {
    return JSON.parse(details.users) as UsersJson;
  } catch (error) {
    throw damaged(details, "active users, measures and reported percentiles", { cause: error });
  }
}

function damaged(
  { loadTestId, sourceId, sequence }: BatchDetails,
  what: string,
  options?: ErrorOptions,
): UserError {
  return new UserError(
    "damaged-store",
    `the ${what} in batch ${sequence} of source "${sourceId}" of load test "${loadTestId}" cannot be read`,
    options,
  );
}
