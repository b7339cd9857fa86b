/** Runs of k6 and JMeter while faults were injected (`test/tools/incidents`): what the first line of each says, and what was done. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { createFakeProgram } from "../support/fake-program.ts";
import { printTable } from "./print-table.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/incidents");

/** As the injector wrote it down. */
interface Truth {
  /** Absent: nothing was done. */
  readonly what?: "slow" | "failing" | "generator";
  /** Absent: all. */
  readonly endpoint?: string;
  /** What the recording can know of the cause. */
  readonly host?: string;
  readonly event?: { readonly at: number; readonly text: string };
  /** UNIX seconds. */
  readonly from?: number;
}

interface Recorded extends Truth {
  readonly name: string;
  /** Of the first incident; absent without one. */
  readonly sentence: string | undefined;
  readonly isWhatNamed: boolean;
  readonly isWhereNamed: boolean;
  readonly isCauseNamed: boolean;
}

const WORDS = {
  slow: /^p95 |^during .* (?:not sent|sent late)/,
  failing: / failures | fails? throughout/,
  generator: /load generator (?:was at its limit|gen-1)/,
} as const;

/** Of a sentence, what follows the statement. */
const CAUSES = /; ((?:\d+ s after|at the time of|(?:load generator )?\w+-1 ).*)$/;

const ENDPOINTS = ["home", "search", "cart", "checkout"];

/** So far may the begin that is named be from that of the fault. */
const SECONDS_OFF_MAX = 5;

export async function readRecordedIncidents(): Promise<readonly Recorded[]> {
  const truths = JSON.parse(readFileSync(path.join(FOLDER, "truth.json"), "utf8")) as Readonly<
    Record<string, Truth>
  >;
  const program = createFakeProgram();
  const recorded: Recorded[] = [];
  for (const [name, truth] of Object.entries(truths)) {
    const file = (extension: string): string => path.join(FOLDER, `${name}.${extension}.gz`);
    const results = existsSync(file("csv")) ? file("csv") : file("jtl");
    await program.run(["import", results, "--id", name]);
    await program.run(["import", file("lp"), "--id", name, "--format", "line-protocol"]);
    if (truth.event !== undefined) {
      const { text, at } = truth.event;
      await program.run(["events", "add", name, text, "--at", new Date(at * 1000).toISOString()]);
    }
    const { out } = await program.run(["summary", name]);
    const below = out.split("\n").slice(2 + ENDPOINTS.length);
    const sentence = below.find((line) => Object.values(WORDS).some((words) => words.test(line)));
    recorded.push({ name, ...truth, sentence, ...judged(truth, sentence ?? "") });
  }
  return recorded;
}

function judged({ what, endpoint, host, event, from = 0 }: Truth, sentence: string) {
  const clause = sentence.replace(CAUSES, "");
  const named = ENDPOINTS.filter((each) => clause.includes(each));
  const isAll = named.length !== 1 || / endpoints/.test(clause);
  return {
    isWhatNamed: what !== undefined && WORDS[what].test(sentence) && isThen(sentence, from),
    isWhereNamed: endpoint === undefined ? isAll : !isAll && named[0] === endpoint,
    isCauseNamed: [host, event?.text].some(
      (cause) => cause !== undefined && sentence.includes(cause),
    ),
  };
}

/** What lasts for the whole run has no time. */
function isThen(sentence: string, from: number): boolean {
  const [time] = /\d\d:\d\d:\d\d/.exec(sentence) ?? [];
  if (time === undefined) return true;
  const at = Date.parse(`1970-01-01T${time}Z`) / 1000;
  return Math.abs(at - (from % 86_400)) <= SECONDS_OFF_MAX;
}

function hit(is: boolean): string {
  return is ? "yes" : "no";
}

export async function printRecordedIncidents(): Promise<void> {
  const rows = (await readRecordedIncidents()).flatMap((each) => {
    const { name, what, endpoint = "all", host = "–", event, sentence = "" } = each;
    if (what === undefined) return [];
    const named = each.isWhatNamed && each.isWhereNamed;
    const [, causes = "–"] = CAUSES.exec(sentence) ?? [];
    return [
      [name, what, endpoint, event?.text ?? host, hit(named), hit(each.isCauseNamed), causes],
    ];
  });
  const head = ["fault", "requests", "endpoints", "at", "what and where", "cause", "named"];
  printTable(head, rows);
}
