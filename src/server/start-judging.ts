import { setTimeout as sleep } from "node:timers/promises";
import { EnvironmentCopier } from "../catalogue/copy-environments.ts";
import { openProject, projectsIn } from "../catalogue/environment-stretch.ts";
import { FinishedJudge } from "../analysis/thresholds/judge-finished.ts";
import { type NoticeTarget, parseNoticeTarget } from "../analysis/thresholds/notice.ts";
import { readVerdict } from "../analysis/thresholds/read-verdict.ts";
import { NoticeSender } from "../analysis/thresholds/send-notices.ts";
import type { NoticeSettings } from "../cli/command-context.ts";
import { type RepeatedJob, repeatJob } from "../concurrency/repeat-job.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import type { HttpLog } from "../http/access-log.ts";
import { UserError } from "../model/errors.ts";
import type { Store } from "../store/store.ts";
import { FinishedPuller, type PrometheusSettings } from "./pull-finished.ts";

const EVERY_MS = 30_000;

/** Load tests whose measures are pulled at once: of each, a response of some megabytes is in memory. */
const PULLS_MAX = 4;

/** Latest load tests that are looked at. */
const LOAD_TESTS_MAX = 1000;

interface JudgedProject {
  readonly judge: FinishedJudge;
  readonly puller: FinishedPuller;
  readonly copier: EnvironmentCopier;
  readonly loadTests: Store["loadTests"];
}

/** One sender for all jobs of a server: it keeps the notices of a load test in order. */
export interface Notices extends Pick<NoticeSettings, "publicUrl" | "tellsRecovery"> {
  readonly targets: readonly NoticeTarget[];
  readonly sender: NoticeSender;
}

interface JudgingDependencies {
  readonly log: HttpLog;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** @default none */
  readonly prometheus?: PrometheusSettings;
}

const NO_PROMETHEUS: PrometheusSettings = { addresses: [], authorization: undefined };

/** Copies environments into load tests that are over, pulls their measures, judges them while the server runs, and posts notices. */
export function startJudging(
  store: Store,
  { sender, publicUrl }: Notices,
  { log, now, prometheus = NO_PROMETHEUS }: JudgingDependencies,
): RepeatedJob {
  const [pulls, ending] = [new Semaphore({ max: PULLS_MAX }), new AbortController()];
  const projects = new Map<string | undefined, JudgedProject>();
  const openJudged = (project: string | undefined): JudgedProject => {
    const part = openProject(store, project);
    const puller = new FinishedPuller({
      ...prometheus,
      store: part,
      pulls,
      project,
      fetch,
      now,
      interrupted: ending.signal,
      failed: (loadTestId, reason) => log.warn({ loadTestId, project, reason }, "not_pulled"),
    });
    const judge = new FinishedJudge({
      store: part,
      isReady: (loadTest) => puller.isReady(loadTest),
      verdictOf: (loadTestId) => readVerdict(part, loadTestId, now),
      now,
      clockMs: () => performance.now(),
      async onFailed({ id, name }, verdict) {
        log.info({ loadTestId: id, name, project }, "thresholds_failed");
        const address = addressOf(publicUrl, id);
        await sender.send({ event: "thresholds-failed", loadTest: { id, name }, address, verdict });
      },
      failed: (loadTestId, error) => log.warn({ loadTestId, project, error }, "not_judged"),
    });
    return { judge, puller, copier: createCopier(part, { log, now }), loadTests: part.loadTests };
  };
  let known: unknown;
  /** Lists load tests only if the store has changed, or a load test in an environment is not over. */
  const readLatest = async (): Promise<void> => {
    const version = await store.version();
    const isWaiting = projects.values().some(({ copier }) => copier.isWaiting);
    if (version !== undefined && version === known && !isWaiting) return;
    for (const project of await projectsIn(store)) {
      const judged = projects.get(project) ?? openJudged(project);
      projects.set(project, judged);
      await judged.copier.copyInto(await judged.loadTests.list({ limit: LOAD_TESTS_MAX }));
    }
    known = version;
  };
  const failed = (error: unknown): void => log.error({ err: error }, "judging_failed");
  const job = repeatJob({
    async run() {
      await readLatest();
      for (const { judge } of projects.values()) await judge.judge().catch(failed);
    },
    everyMs: EVERY_MS,
    failed,
  });
  return {
    async stop() {
      ending.abort();
      await job.stop();
      await sender.stop();
      for (const { judge, puller } of projects.values()) {
        await puller.settle();
        await judge.settle();
      }
    },
  };
}

/** Logs what the sender sent and gave up. */
export function openNotices(
  { secret, ...settings }: NoticeSettings,
  targets: readonly NoticeTarget[],
  log: HttpLog,
): Notices {
  const sender = new NoticeSender(targets, secret, {
    fetch,
    wait: (ms, signal) => sleep(ms, undefined, { signal }),
    sent: ({ event, loadTest }, host) =>
      log.info({ loadTestId: loadTest.id, event, host }, "notice_sent"),
    lost: ({ event, loadTest }, host, reason) =>
      log.warn({ loadTestId: loadTest.id, event, host, reason }, "notice_lost"),
  });
  return { ...settings, targets, sender };
}

export function addressOf(publicUrl: string | undefined, loadTestId: string): string | undefined {
  const base = publicUrl?.replace(/\/$/, "");
  return base === undefined ? undefined : `${base}/t/${encodeURIComponent(loadTestId)}`;
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
