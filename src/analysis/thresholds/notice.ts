import type { CheckedThresholdJson, VerdictJson } from "../../api/thresholds.ts";
import { digitsAgainst } from "../../render/digits-against.ts";
import { printable } from "../../model/printable.ts";

interface AnyNotice {
  readonly loadTest: { readonly id: string; readonly name: string };
  /** Where a browser shows it; `undefined` if the server does not know its own address. */
  readonly address: string | undefined;
}

interface FailedNotice extends AnyNotice {
  readonly event: "thresholds-failed";
  readonly verdict: VerdictJson;
}

type WindowJson = NonNullable<CheckedThresholdJson["window"]>;

/** Of a load test that runs. */
export interface WindowNotice extends AnyNotice {
  readonly event: "thresholds-broken" | "thresholds-recovered";
  /** Equal for the same event of the same load test: a receiver that has it can pass over another. */
  readonly id: string;
  /** Those that broke first, or that are kept again; at most `LINES_MAX`. */
  readonly thresholds: readonly (Pick<
    CheckedThresholdJson,
    "failIf" | "unit" | "bound" | "measured" | "measure"
  > & {
    readonly window: WindowJson;
    /** Those with the most failed requests in the window, then the slowest. */
    readonly endpoints: readonly NoticeEndpoint[];
  })[];
  /** How many there are in all. */
  readonly count: number;
}

/** Figures of an endpoint within a window; p95 in seconds. */
export interface NoticeEndpoint {
  readonly label: string;
  readonly requests: number;
  readonly failedRequests: number;
  readonly p95: number | null;
}

export type Notice = FailedNotice | WindowNotice;

const NOTICE_FORMS = ["json", "slack", "teams"] as const;

type NoticeForm = (typeof NOTICE_FORMS)[number];

export interface NoticeTarget {
  readonly form: NoticeForm;
  /** Without user and password. */
  readonly url: URL;
  /** Value of the header; from `https://user:password@…`. @default none */
  readonly authorization?: string | undefined;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Reads `https://…`, `slack+https://…` or `teams+https://…`, with `http:` only on this machine; `undefined` for anything else. */
export function parseNoticeTarget(text: string): NoticeTarget | undefined {
  const [, form = "json", address = ""] = /^(?:(json|slack|teams)\+)?(https?:.+)$/.exec(text) ?? [];
  const known = NOTICE_FORMS.find((each) => each === form);
  if (known === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) return undefined;
  const authorization = basicOf(url);
  [url.username, url.password] = ["", ""];
  return { form: known, url, authorization };
}

function basicOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const text = [username, password].map(decoded).join(":");
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** A lone `%` stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function noticeBody(form: NoticeForm, notice: Notice): string {
  if (form === "slack") return JSON.stringify({ text: slackText(notice) });
  if (form === "teams") return JSON.stringify(teamsMessage(notice));
  return JSON.stringify(notice);
}

export const LINES_MAX = 10;

/** One line per threshold that the notice is about, the first ones only. */
function noticeLines(notice: Notice): readonly string[] {
  const { count, lines } =
    notice.event === "thresholds-failed" ? failureLines(notice.verdict) : windowLines(notice);
  const more = count - lines.length;
  return [...lines.map(printable), ...(more === 0 ? [] : [`and ${more} more`])];
}

interface CountedLines {
  readonly lines: readonly string[];
  readonly count: number;
}

function failureLines({ thresholds, failed }: VerdictJson): CountedLines {
  const first = thresholds.filter(({ fails }) => fails).slice(0, LINES_MAX);
  return { lines: first.map((each) => `${each.failIf}${measuredText(each)}`), count: failed };
}

function windowLines({ thresholds, count }: WindowNotice): CountedLines {
  const lines = thresholds.map(({ window, endpoints, ...each }) => {
    const { requests, failedRequests, from, until } = window;
    const [begin, end] = [from, until].map((second) => new Date(second * 1000).toISOString());
    const time = `from ${begin?.slice(11, 19)} to ${end?.slice(11, 19)} UTC`;
    const own = endpoints.map((one) => `${one.label}: ${one.failedRequests} of ${one.requests}`);
    const failed =
      each.measure === undefined
        ? `${failedRequests} of ${requests} requests failed ${time}`
        : `${requests} ${requests === 1 ? "value" : "values"} ${time}`;
    const most = each.measure !== undefined || own.length < 2 ? "" : ` (${own.join(", ")})`;
    return `${each.failIf}${measuredText({ kind: "value", ...each })}; ${failed}${most}`;
  });
  return { lines, count };
}

function title(notice: Notice): string {
  const { id, name } = notice.loadTest;
  const run = name === id ? id : `${printable(name)} (${id})`;
  if (notice.event === "thresholds-broken") return `${run} breaks thresholds while it runs`;
  if (notice.event === "thresholds-recovered") return `${run} keeps its thresholds again`;
  const { failed, checked } = (notice as FailedNotice).verdict;
  return `${run} failed ${failed} of ${checked} thresholds`;
}

function measuredText({
  measured,
  unit,
  kind,
  outcome,
  bound,
}: Pick<CheckedThresholdJson, "measured" | "unit" | "kind" | "bound"> &
  Partial<Pick<CheckedThresholdJson, "outcome">>): string {
  if (outcome === "notEvaluated") return ": not evaluated";
  if (measured === undefined) return "";
  const times = (factor: number): string => digitsAgainst(measured * factor, bound * factor, 3);
  if (kind !== "value") return `: ${measured < 0 ? "" : "+"}${times(100)} %`;
  if (unit === "seconds") return `: ${times(1000)} ms`;
  if (unit === "share") return `: ${times(100)} %`;
  return `: ${times(1)}${unit === "perSecond" ? "/s" : ""}`;
}

/** Labels are untrusted: Slack reads `<`, `>` and `&` as markup. */
function slackText(notice: Notice): string {
  const { address } = notice;
  return [
    escapedSlack(title(notice)),
    ...noticeLines(notice).map((line) => `• ${escapedSlack(line)}`),
    ...(address === undefined ? [] : [`<${address}>`]),
  ].join("\n");
}

/** An adaptive card; its text blocks read Markdown, so that lines are code. */
function teamsMessage(notice: Notice) {
  const { address } = notice;
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            textBlock(escapedMarkdown(title(notice)), { weight: "Bolder" }),
            ...noticeLines(notice).map((line) => textBlock(escapedMarkdown(line))),
          ],
          actions:
            address === undefined ? [] : [{ type: "Action.OpenUrl", title: "Open", url: address }],
        },
      },
    ],
  };
}

function escapedSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]()#~>|<-]/g, String.raw`\$&`);
}

function textBlock(text: string, more: object = {}) {
  return { type: "TextBlock", wrap: true, text, ...more };
}
