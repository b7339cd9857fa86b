import { randomUUID } from "node:crypto";
import type { RunningLimitJson } from "../api/live.ts";
import type { CheckedLimit } from "../analysis/check/limit.ts";
import { RunningJudge } from "../analysis/thresholds/judge-running.ts";
import type { WindowNotice } from "../analysis/thresholds/notice.ts";
import { NoticeLedger } from "../analysis/thresholds/notice-ledger.ts";
import { windowNotice } from "../analysis/thresholds/window-notice.ts";
import { openProject, projectsIn } from "../catalogue/environment-stretch.ts";
import { type RepeatedJob, repeatJob } from "../concurrency/repeat-job.ts";
import type { HttpLog } from "../http/access-log.ts";
import type { AppendObserver } from "../live/observe-appends.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { Store } from "../store/store.ts";
import { addressOf, type Notices } from "./start-judging.ts";

const EVERY_MS = 500;

/** How often projects are listed, and notes of notices are read. */
const TEND_EVERY_MS = 8000;

interface RunningProject {
  readonly judge: RunningJudge;
  readonly ledger: NoticeLedger;
}

export interface RunningJudgeJob extends RepeatedJob {
  readonly observe: AppendObserver;
  /** Limits over windows of a load test that runs; `undefined` if none are judged. */
  limitsOf(
    project: string | undefined,
    loadTestId: string,
  ): readonly RunningLimitJson[] | undefined;
}

interface Dependencies {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Judges the windows of load tests while they run, and posts a notice of the first that breaks. */
export function startRunningJudge(
  store: Store,
  { sender, targets, publicUrl, tellsRecovery }: Notices,
  { log, now }: Dependencies,
): RunningJudgeJob {
  const process = randomUUID();
  const projects = new Map<string | undefined, RunningProject>();
  const open = (project: string | undefined): RunningProject => {
    const part = openProject(store, project);
    const ledger = new NoticeLedger({
      notes: part.noticeNotes,
      send: (...sent) => sender.send(...sent),
      now,
      clockMs: () => performance.now(),
      process,
    });
    const tell = async (
      event: WindowNotice["event"],
      loadTest: LoadTestSummary,
      checked: readonly CheckedLimit[],
    ): Promise<void> => {
      const { id, name } = loadTest;
      log.info({ loadTestId: id, name, project }, event.replace("-", "_"));
      if (targets.length === 0) return;
      const address = addressOf(publicUrl, id);
      await ledger.post(await windowNotice(part, { event, loadTest, checked, address }));
    };
    const judge = new RunningJudge({
      store: part,
      now,
      clockMs: () => performance.now(),
      onBroken: (loadTest, broken) => tell("thresholds-broken", loadTest, broken),
      async onRecovered(loadTest, kept) {
        if (tellsRecovery) await tell("thresholds-recovered", loadTest, kept);
      },
      failed: (loadTestId, error) => log.warn({ loadTestId, project, error }, "not_watched"),
    });
    return { judge, ledger };
  };
  let tendedAtMs = -Infinity;
  const tend = async (): Promise<void> => {
    const clockMs = performance.now();
    if (clockMs - tendedAtMs < TEND_EVERY_MS) return;
    tendedAtMs = clockMs;
    for (const project of await projectsIn(store)) {
      if (!projects.has(project)) projects.set(project, open(project));
    }
    if (targets.length === 0) return;
    for (const { ledger } of projects.values()) await ledger.tend();
  };
  const failed = (error: unknown): void => log.error({ err: error }, "watching_failed");
  const job = repeatJob({
    async run() {
      await tend().catch(failed);
      for (const { judge } of projects.values()) await judge.look().catch(failed);
    },
    everyMs: EVERY_MS,
    failed,
  });
  return {
    observe: (project, ...stored) => projects.get(project)?.judge.observe(...stored),
    limitsOf: (project, loadTestId) => projects.get(project)?.judge.stateOf(loadTestId),
    async stop() {
      await job.stop();
      await sender.stop();
      for (const { ledger } of projects.values()) await ledger.settle();
    },
  };
}
