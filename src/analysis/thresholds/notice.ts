import type { CheckedThresholdJson, VerdictJson } from "../../api/thresholds.ts";

export interface Notice {
  readonly loadTest: { readonly id: string; readonly name: string };
  /** Where a browser shows it; `undefined` if the server does not know its own address. */
  readonly address: string | undefined;
  readonly verdict: VerdictJson;
}

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
  const { loadTest, address, verdict } = notice;
  return JSON.stringify({ event: "thresholds-failed", loadTest, address, verdict });
}

const LINES_MAX = 10;

/** One line per failed threshold, the first ones only. */
function failureLines({ verdict: { thresholds, failed } }: Notice): readonly string[] {
  const first = thresholds.filter(({ fails }) => fails).slice(0, LINES_MAX);
  const lines = first.map((each) => `${each.failIf}${measuredText(each)}`);
  const more = failed - lines.length;
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

function title({ loadTest: { id, name }, verdict: { checked, failed } }: Notice): string {
  const run = name === id ? id : `${name} (${id})`;
  return `${run} failed ${failed} of ${checked} thresholds`;
}

function measuredText({ measured, unit, kind, outcome }: CheckedThresholdJson): string {
  if (outcome === "notEvaluated") return ": not evaluated";
  if (measured === undefined) return "";
  const percent = `${Number((measured * 100).toPrecision(3))} %`;
  if (kind !== "value") return `: ${measured < 0 ? "" : "+"}${percent}`;
  if (unit === "seconds") return `: ${Number((measured * 1000).toPrecision(3))} ms`;
  if (unit === "share") return `: ${percent}`;
  return `: ${Number(measured.toPrecision(3))}${unit === "perSecond" ? "/s" : ""}`;
}

/** Labels are untrusted: Slack reads `<`, `>` and `&` as markup. */
function slackText(notice: Notice): string {
  const { address } = notice;
  return [
    escapedSlack(title(notice)),
    ...failureLines(notice).map((line) => `• ${escapedSlack(line)}`),
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
            ...failureLines(notice).map((line) => textBlock(escapedMarkdown(line))),
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
