import { badParameter } from "../../model/errors.ts";
import type { ImportReport } from "../../model/import-report.ts";
import { ALL_SECONDS, type SecondRange } from "../../model/second-range.ts";
import { checkLoadTestId, loadTestNameAfter } from "../../import/load-test-id.ts";
import { createScanTarget, Sessions } from "../../import/sessions.ts";
import { type FileToImport, importFile } from "./import-file.ts";
import { findFile } from "../targets/read-file.ts";
import type { CommandContext } from "../command-context.ts";

/** Leaves room for a number after the name. */
const NAME_LENGTH = 190;
const SESSIONS_MAX = 100;

interface ScannedFile {
  readonly job: FileToImport;
  readonly sessions: Sessions;
  readonly hasUnknownSeconds: boolean;
}

/**
 * Imports each session of the files into its own load test, numbered at the end of its id. Sessions span all
 * files. Returns as `importFile` does. Throws `bad-parameter`.
 */
export async function importSessions(
  jobs: readonly FileToImport[],
  gapSeconds: number,
  context: CommandContext,
): Promise<(number | undefined)[]> {
  const refusals: (number | undefined)[] = [];
  const all = new Sessions(gapSeconds);
  const files: ScannedFile[] = [];
  for (const job of jobs) {
    await checkReadTwice(job, context);
    const sessions = new Sessions(gapSeconds);
    let hasUnknownSeconds = false;
    let isElsewhere = false;
    const target = createScanTarget(job.target, (second) => {
      if (second === 0) hasUnknownSeconds = true;
      else for (const each of [sessions, all]) each.add(second);
    });
    const report = async (outcome: ImportReport): Promise<void> => {
      isElsewhere = outcome.alreadyImported;
      if (isElsewhere) await job.report(outcome);
    };
    const refusal = await importFile({ ...job, target, report }, context);
    refusals.push(refusal);
    if (refusal === undefined && !isElsewhere) files.push({ job, sessions, hasUnknownSeconds });
  }
  const ranges = rangesOf(all);
  for (const { job } of files) checkLoadTestId(`${job.loadTest.id}-${ranges.length}`);
  for (const [index, range] of ranges.entries()) {
    for (const file of files) {
      if (!hasPart(file, range)) continue;
      const parts = ranges.filter((each) => hasPart(file, each));
      refusals.push(await importFile(sessionOf(file.job, { range, parts, index }), context));
    }
  }
  return refusals;
}

async function checkReadTwice(
  { file, remote }: FileToImport,
  context: CommandContext,
): Promise<void> {
  // Unreadable files are reported when they are read.
  const isOnce =
    file === "-" ||
    remote !== undefined ||
    (await findFile(file, context.interrupted).then(
      ({ isRegular }) => !isRegular,
      () => false,
    ));
  if (!isOnce) return;
  throw badParameter(
    `cannot split ${file === "-" ? "standard input" : `"${file}"`}: --split-gap reads a file twice; ` +
      "save it as a local file first",
  );
}

/** From the start of each session to that of the next. */
function rangesOf({ found }: Sessions): readonly SecondRange[] {
  if (found === undefined || found.length > SESSIONS_MAX) {
    throw badParameter(
      `cannot split at these gaps: got ${found?.length ?? "thousands of"} sessions, want at most ` +
        `${SESSIONS_MAX}: give a longer --split-gap`,
    );
  }
  const starts = [ALL_SECONDS.from, ...found.slice(1).map(({ from }) => from)];
  return starts.map((from, index) => ({ from, until: starts[index + 1] ?? ALL_SECONDS.until }));
}

function hasPart({ sessions, hasUnknownSeconds }: ScannedFile, range: SecondRange): boolean {
  if (range.from === 0 && hasUnknownSeconds) return true;
  return sessions.found?.some(({ from }) => from >= range.from && from < range.until) ?? false;
}

interface ImportedSession {
  readonly range: SecondRange;
  readonly parts: readonly SecondRange[];
  /** From 0. */
  readonly index: number;
}

function sessionOf(job: FileToImport, { range, parts, index }: ImportedSession): FileToImport {
  const { id, name } = job.loadTest;
  const number = index + 1;
  return {
    ...job,
    isOnlyNew: false,
    loadTest: {
      ...job.loadTest,
      id: `${id}-${number}`,
      name: `${loadTestNameAfter(name.slice(0, NAME_LENGTH), id)} ${number}`,
    },
    seconds: range,
    report: (report) =>
      job.report(withOwnFaults(report, range === parts[0], range === parts.at(-1))),
  };
}

/** Faults of a file are reported once: rejections with its first session, truncation with its last. */
function withOwnFaults(report: ImportReport, isFirst: boolean, isLast: boolean): ImportReport {
  const { recorded } = report.samples;
  return {
    ...report,
    ...(isFirst ? {} : { samples: { read: recorded, recorded, rejected: 0 }, rejections: [] }),
    truncatedAt: isLast ? report.truncatedAt : undefined,
  };
}
