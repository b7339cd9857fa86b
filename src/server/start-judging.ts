import { setTimeout as sleep } from "node:timers/promises";
import { EnvironmentCopier } from "../catalogue/copy-environments.ts";
import { judgeNotes, projectsIn, projectStore } from "../catalogue/project-store.ts";
import { FinishedJudge } from "../analysis/thresholds/judge-finished.ts";
import { type NoticeTarget, parseNoticeTarget } from "../analysis/thresholds/notice.ts";
import { readVerdict } from "../analysis/thresholds/read-verdict.ts";
import { NoticeSender } from "../analysis/thresholds/send-notices.ts";
import type { NoticeSettings } from "../cli/command-context.ts";
import { type RepeatedJob, repeatJob } from "../concurrency/repeat-job.ts";
import type { HttpLog } from "../http/access-log.ts";
import { UserError } from "../model/errors.ts";
import type { Store } from "../store/store.ts";

const EVERY_MS = 30_000;

/** Latest load tests that are looked at. */
const LOAD_TESTS_MAX = 1000;

interface JudgingDependencies {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Copies environments into load tests that are over, judges them while the server runs, and posts notices. */
export function startJudging(
  store: Store,
  { secret, publicUrl }: NoticeSettings,
  targets: readonly NoticeTarget[],
  { log, now }: JudgingDependencies,
): RepeatedJob {
  const sender = new NoticeSender(targets, secret, {
    fetch,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    sent: ({ loadTest }, host) => log.info({ loadTestId: loadTest.id, host }, "notice_sent"),
    lost: ({ loadTest }, host, reason) =>
      log.warn({ loadTestId: loadTest.id, host, reason }, "notice_lost"),
  });
  const judges = new Map<string | undefined, FinishedJudge>();
  const judgeOf = (project: string | undefined): FinishedJudge => {
    const part = projectStore(store, project);
    return new FinishedJudge({
      store: part,
      notes: judgeNotes(store, project),
      verdictOf: (loadTestId) => readVerdict(part, loadTestId, now),
      now,
      onFailed({ id, name }, verdict) {
        log.info({ loadTestId: id, name, project }, "thresholds_failed");
        const base = publicUrl?.replace(/\/$/, "");
        const address = base === undefined ? undefined : `${base}/t/${encodeURIComponent(id)}`;
        return sender.send({ loadTest: { id, name }, address, verdict });
      },
      failed: (loadTestId, error) => log.warn({ loadTestId, project, error }, "not_judged"),
    });
  };
  const copier = createCopier(store, { log, now });
  let known: unknown;
  /** Lists load tests only if the store has changed, or a load test in an environment is not over. */
  const readLatest = async (): Promise<void> => {
    const version = await store.version();
    if (version !== undefined && version === known && !copier.isWaiting) return;
    known = version;
    const latest = await store.loadTests.list({ limit: LOAD_TESTS_MAX });
    await copier.copyInto(latest);
    for (const project of [undefined, ...projectsIn(latest)]) {
      if (!judges.has(project)) judges.set(project, judgeOf(project));
    }
  };
  const job = repeatJob({
    async run() {
      await readLatest();
      for (const judge of judges.values()) await judge.judge();
    },
    everyMs: EVERY_MS,
    failed: (error) => log.error({ err: error }, "judging_failed"),
  });
  return {
    async stop() {
      await job.stop();
      await sender.stop();
      for (const judge of judges.values()) await judge.settle();
    },
  };
}

/** Logs the load tests that it cannot copy into. */
export function createCopier(store: Store, { log, now }: JudgingDependencies): EnvironmentCopier {
  return new EnvironmentCopier(store, {
    now,
    failed: (loadTestId, error) =>
      log.warn({ loadTestId, error: error.message }, "environment_not_copied"),
  });
}

/** Throws `bad-setting`. */
export function noticeTargetsOf({ targets, publicUrl }: NoticeSettings): readonly NoticeTarget[] {
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) {
    throw new UserError(
      "bad-setting",
      "--public-url: expected a URL such as https://results.example.org",
    );
  }
  return targets.map((text, index) => {
    const target = parseNoticeTarget(text);
    if (target !== undefined) return target;
    // Such addresses are secrets.
    throw new UserError(
      "bad-setting",
      `--notify: expected https://…, slack+https://… or teams+https://… (http: only on this machine) as item ${index + 1}`,
    );
  });
}
