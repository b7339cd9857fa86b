import { type Command, InvalidArgumentError } from "commander";
import path from "node:path";
import {
  checkEncoding,
  choiceOf,
  checkTimestampFormat,
  checkValueUnit,
  checkTimeZone,
  facetOptionsOf,
  groupingOf,
  parseInstant,
  samplesOf,
} from "../../import/decode-settings.ts";
import type { ImportRequest } from "../../import/import-results.ts";
import { checkLoadTestId, loadTestNameAfter } from "../../import/load-test-id.ts";
import { checkLoadTestName } from "../../model/load-test/attributes.ts";
import { badParameter } from "../../model/errors.ts";
import { FREE_BYTES_MIN } from "../../model/free-bytes.ts";
import type { ImportReport } from "../../model/import-report.ts";
import { LABELS_MAX } from "../../model/label.ts";
import { FACET_LIMITS, type FacetLimits } from "../../model/series/facets.ts";
import { SAMPLE_BYTES_DEFAULT } from "../../model/samples/sample-choice.ts";
import { isDoubtful } from "../../model/quality/repairs.ts";
import { type CommandContext, type DefineCommand, SERVER_LIMITS } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import {
  addFlags,
  duration,
  failIfFlag,
  flag,
  list,
  percentage,
  repeated,
  stopFlags,
  wholeNumber,
  withLocation,
} from "../flags.ts";
import { createReportWriter, type ImportLocation } from "../output/import-report.ts";
import { printable } from "../output/table.ts";
import type { StopOptions } from "../targets/watch-check.ts";
import { dataDirectory, withoutPasswords } from "../targets/store-location.ts";
import { openTarget, type TargetOptions } from "../targets/opened-store.ts";
import { isRemote, findFile } from "../targets/read-file.ts";
import {
  describedBy,
  descriptionFlags,
  type DescriptionOptions,
} from "../targets/run-description.ts";
import { type FileToImport, followFile, type FollowOptions, importFile } from "./import-file.ts";
import { ALL_SECONDS, type SecondRange } from "../../model/columns.ts";
import { createScanTarget, Sessions } from "../../import/sessions.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Imports result files of load-testing tools into one run. Format and compression (gzip, zstd) " +
        "are detected by content. Importing the same file again changes nothing: without --id, all runs " +
        "are searched for it, with --id that run. " +
        "With --follow, a file is read while a tool writes it, and may not exist yet.",
    )
    .argument("<file...>", "result files or their URLs (https://, s3://); - is standard input");
  addFlags(command, [
    flag("--id <id>", "run to import into (default: a new one)"),
    flag("--again", "without --id: import files even if another run already contains them"),
    flag("--name <text>", "name of the new run (default: name of the first file)"),
    ...descriptionFlags(),
    flag("--format <name>", "format of the files (default: detected by content)"),
    flag("--timezone <zone>", "time zone of timestamps without one (default: this machine's)"),
    flag(
      "--timestamp-format <pattern>",
      "form of timestamps in JMeter CSV, in letters of SimpleDateFormat: 'dd/MM/yyyy HH:mm:ss'",
    ),
    flag("--encoding <name>", "encoding of files that are not UTF-8: windows-1251, gbk"),
    flag("--started-at <time>", "start of the run, for files with relative times only"),
    flag("--value-unit <unit>", "unit of a log of HdrHistogram: ns, us or ms"),
    flag(
      "--label <template>",
      "label template, with fields of the source in braces: '{method} {url}'",
    ),
    flag(
      "--group-urls",
      "replace ids and query values in URL labels: /users/7 becomes /users/{id}",
    ),
    flag(
      "--group <list>",
      "paths that are one label, * for a segment, ** for the rest: '/products/*'",
    ).argParser(list),
    flag(
      "--measure <list>",
      "labels that are measures of the run, not requests; * for any characters: 'ttft *'",
    ).argParser(list),
    flag("--ignore <list>", "labels to leave out: 'Debug Sampler'").argParser(list),
    flag("--facet <list>", "tags or columns that are facets, too: region,host").argParser(list),
    flag("--no-facets", "leave out the default facets of the format"),
    flag("--keep-file", "also keep each file itself; export --file writes it"),
    flag("--no-samples", "keep no request whole"),
    flag(
      "--redact <pattern>",
      "also take what matches this regular expression out of kept requests",
    ).argParser(repeated),
    flag("--follow", "read files while they are written"),
    flag("--still-seconds <n>", "a followed file that does not grow for so long has ended")
      .argParser(wholeNumber(1, 86_400))
      .default(30),
    flag(
      "--split-gap <gap>",
      "split into one run per session; minimum idle time between sessions: 30m",
    ).argParser(sessionGap),
    failIfFlag("with --follow: check the run meanwhile and at its end, as check does"),
    ...stopFlags(),
    flag("--json", "write the report as JSON"),
    flag("--strict", "exit with 3 where a row was rejected or read in part"),
    flag("--allow-rejected <percent>", "with --strict, the share of such rows to accept").argParser(
      percentage,
    ),
    flag("--allow-empty", "import a file without rows"),
    flag("--labels-max <n>", "maximum labels of a run; further ones are merged into (other)")
      .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER))
      .default(LABELS_MAX),
    flag("--facet-combinations-max <n>", SERVER_LIMITS.facetCombinationsMax)
      .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER))
      .default(FACET_LIMITS.facetCombinationsMax),
    flag("--facet-series-max <n>", SERVER_LIMITS.facetSeriesMax)
      .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .default(FACET_LIMITS.facetSeriesMax),
    flag("--free-bytes-min <n>", "bytes of the disk to leave free, at most a twentieth of it")
      .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
      .default(FREE_BYTES_MIN),
  ]);
  withLocation(command)
    .addOption(
      flag("--spool <dir>", "where followed files keep what cannot be sent (default: in --data)"),
    )
    .addOption(
      flag("--spool-bytes <n>", "most bytes there; then reading waits")
        .argParser(wholeNumber(1, 2 ** 50))
        .default(1024 ** 3),
    )
    .addHelpText("after", EXAMPLES)
    .action((files: string[], options: ImportOptions) =>
      run(async () => importGiven(files, options, await givenLocation(command, context), context)),
    );
};

/** Flags of this call that name the target; those of the environment repeat themselves. */
async function givenLocation(command: Command, { environment, servers }: CommandContext) {
  const { url, data, postgres, project } = command.opts<ImportOptions>();
  const named = url === undefined ? { data, postgres, project } : { url, project };
  const flags = Object.entries(named).filter(([, value]) => value !== undefined);
  const isServed = (url ?? postgres) === undefined;
  const served = isServed
    ? await servers.addressServing(dataDirectory(data, environment))
    : undefined;
  return {
    url: url === undefined ? served : withoutPasswords(url),
    flags: flags
      .filter(([name]) => command.getOptionValueSource(name) === "cli")
      .flatMap(([name, value = ""]) => [`--${name}`, withoutPasswords(value)]),
  };
}

const SPLIT_GAP_SECONDS_MIN = 60;

/** A minute or more: shorter pauses occur within a run. */
function sessionGap(text: string): number {
  const seconds = duration(text);
  if (seconds >= SPLIT_GAP_SECONDS_MIN) return seconds;
  throw new InvalidArgumentError("Expected at least 1m.");
}

const EXAMPLES = `
Examples:
  tachograph import results.jtl
  tachograph import --id nightly-7 agent-1.jtl.gz agent-2.jtl.gz
  tachograph import --id nightly-7 's3://results/nightly-7/*.jtl.gz'
  tachograph import --id nightly-7 --timezone Europe/Berlin results.csv
  tachograph import --started-at 2026-11-21T03:43:30Z --label 'GET /cart' hey.csv
  tachograph import --id nightly --split-gap 30m results.jtl
  tachograph import --group-urls --group '/products/*,/static/**' k6.csv
  tachograph import --id nightly-7 --follow results.jtl
  tachograph import --url https://results.example.org --id nightly-7 --follow results.jtl
  tachograph import --id nightly-7 --follow results.jtl --fail-if 'errors > 5% over 10s' --stop-pid "$load"
  k6 run --out json=/dev/stdout --quiet script.js | tachograph import - --id smoke --json
`;

export interface ImportOptions
  extends TargetOptions, DecodeFlags, DescriptionOptions, FollowOptions, StopOptions {
  readonly failIf?: readonly string[];
  /** Called when the store or the server has been opened. */
  readonly onOpened?: () => void;
  readonly id?: string;
  readonly again?: true;
  readonly name?: string;
  readonly format?: string;
  readonly follow?: true;
  readonly keepFile?: true;
  readonly splitGap?: number;
  readonly strict?: true;
  /** A share. */
  readonly allowRejected?: number;
  readonly allowEmpty?: true;
}

async function importGiven(
  files: readonly string[],
  options: ImportOptions,
  location: ImportLocation,
  context: CommandContext,
): Promise<number> {
  const { failIf, stopCommand, stopPid, follow } = options;
  if (failIf === undefined && (stopCommand ?? stopPid) === undefined) {
    return importFiles(files, options, location, context);
  }
  if (failIf === undefined || !follow) {
    throw badParameter("--fail-if, --stop-command and --stop-pid: expected --follow and --fail-if");
  }
  const { followChecked } = await import("./follow-checked.ts");
  const id = options.id ?? context.imports.createLoadTestId();
  return followChecked({ ...options, id, failIf }, context, (stopped, onOpened) =>
    importFiles(files, { ...options, id, stopped, onOpened }, location, context),
  );
}

/** Imports files into one load test in turn, or follows all at once. Unreadable ones do not stop others. Returns the worst exit code. */
async function importFiles(
  given: readonly string[],
  options: ImportOptions,
  location: ImportLocation,
  context: CommandContext,
): Promise<number> {
  const id =
    options.id === undefined ? context.imports.createLoadTestId() : checkLoadTestId(options.id);
  const decodeOptions = decodeOptionsOf(options, context.imports.timeZone);
  const name = options.name === undefined ? undefined : checkLoadTestName(options.name);
  const described = describedBy(options);
  const isLive = options.follow === true;
  const files = isLive ? followable(given, options) : await filesOf(given, context);
  await using opened = await openTarget(options, isLive, context);
  options.onOpened?.();
  const reports = createReportWriter(files.length, options.json === true, location, context);
  let isIncomplete = false;
  const report = async (outcome: ImportReport): Promise<void> => {
    isIncomplete ||= lacksRows(outcome, options);
    await reports.write(outcome);
  };
  const { format } = options;
  const isOnlyNew = options.id === undefined && options.again !== true;
  const isEmptyAllowed = options.allowEmpty === true;
  const keep = options.keepFile && {};
  const { target } = opened;
  const about = { target, isOnlyNew, isEmptyAllowed, format, decodeOptions, keep, report };
  try {
    // The first readable file creates and names the load test.
    const jobs = files.map((file) => {
      return {
        ...about,
        ...file,
        loadTest: { id, name: name ?? nameOf(file.file, id), ...described },
      };
    });
    const refusals = await (isLive
      ? followAll(jobs, options, context)
      : importAll(jobs, options.splitGap, context));
    const refusal = refusals.find((code) => code !== undefined);
    if (!(await opened.settle())) return EXIT.failed;
    return refusal ?? (isIncomplete ? EXIT.incomplete : EXIT.done);
  } finally {
    await reports.end();
  }
}

async function importAll(
  jobs: readonly FileToImport[],
  splitGap: number | undefined,
  context: CommandContext,
): Promise<(number | undefined)[]> {
  if (splitGap !== undefined) return importSessions(jobs, splitGap, context);
  const refusals = [];
  for (const job of jobs) refusals.push(await importFile(job, context));
  return refusals;
}

/** Follows each file to its end, even if another fails. */
async function followAll(
  jobs: readonly FileToImport[],
  options: FollowOptions,
  context: CommandContext,
): Promise<(number | undefined)[]> {
  const following = jobs.map((job) => followFile(job, options, context));
  await Promise.allSettled(following);
  return Promise.all(following);
}

type GivenFile = Pick<FileToImport, "file" | "remote">;

async function filesOf(
  given: readonly string[],
  context: CommandContext,
): Promise<readonly GivenFile[]> {
  const files: GivenFile[] = [];
  for (const file of given) {
    if (!isRemote(file)) files.push({ file });
    else {
      for (const remote of await context.imports.findRemoteFiles(file)) {
        files.push({ file: remote.name, remote });
      }
    }
  }
  return files;
}

/** Following a file twice would count its rows twice. Throws `bad-parameter`. */
function followable(
  files: readonly string[],
  { splitGap, encoding, keepFile }: ImportOptions,
): readonly GivenFile[] {
  if (keepFile)
    throw badParameter("--keep-file cannot be used with --follow: attach the file at its end");
  if (splitGap !== undefined) throw badParameter("--split-gap cannot be used with --follow");
  if (encoding !== undefined) throw badParameter("--encoding cannot be used with --follow");
  const remote = files.find(isRemote);
  if (remote !== undefined) {
    throw badParameter("--follow reads local files only: import it when it is complete");
  }
  return [...new Map(files.map((file) => [path.resolve(file), { file }])).values()];
}

function nameOf(file: string, id: string): string {
  return file === "-" ? id : loadTestNameAfter(printable(path.basename(file)), id);
}

function lacksRows(
  { truncatedAt, samples, repairs }: ImportReport,
  { strict, allowRejected = 0 }: ImportOptions,
): boolean {
  const repaired = repairs.filter(({ kind }) => isDoubtful(kind));
  const rows = repaired.reduce((sum, each) => sum + each.rows, samples.rejected);
  return truncatedAt !== undefined || (strict === true && rows > allowRejected * samples.read);
}

interface DecodeFlags extends Partial<FacetLimits> {
  readonly timezone?: string;
  readonly startedAt?: string;
  readonly timestampFormat?: string;
  readonly encoding?: string;
  readonly valueUnit?: string;
  readonly label?: string;
  readonly labelsMax?: number;
  readonly groupUrls?: true;
  readonly group?: readonly string[];
  readonly measure?: readonly string[];
  readonly ignore?: readonly string[];
  readonly facet?: readonly string[];
  /** @default true */
  readonly facets?: boolean;
  /** @default true */
  readonly samples?: boolean;
  readonly redact?: readonly string[];
}

/** `localZone`: zone of this process. Throws `bad-parameter`. */
export function decodeOptionsOf(
  { timezone, startedAt, label, labelsMax, groupUrls, group, ...flags }: DecodeFlags,
  localZone: string,
): ImportRequest["decodeOptions"] {
  return {
    timeZone: checkTimeZone(timezone ?? localZone),
    startedAtMs: startedAt === undefined ? undefined : parseInstant(startedAt),
    labelTemplate: label,
    timestampFormat: checkTimestampFormat(flags.timestampFormat),
    encoding: checkEncoding(flags.encoding),
    valueUnit: checkValueUnit(flags.valueUnit),
    choice: choiceOf(flags.measure, flags.ignore),
    facets: facetOptionsOf(flags.facet, flags.facets === false, flags),
    labels: { labelsMax, grouping: groupingOf(groupUrls === true, group) },
    samples: samplesOf(flags.samples === false ? 0 : SAMPLE_BYTES_DEFAULT, flags.redact),
  };
}

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
