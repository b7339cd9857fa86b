import type { Imported } from "./import-and-read.ts";
import type { ToolReport } from "./tool-report.ts";

/** Longer messages are truncated on import. */
const MESSAGE_CHARACTERS_MAX = 500;

/** The differences of failures and users from the messages and users in a Gatling log. */
export function gatlingDifferences(
  { endpoints, users }: Imported,
  report: ToolReport | undefined,
): string[] {
  if (report?.tool !== "gatling") return [];
  const { koMessages, users: events } = report;
  const failures = endpoints.flatMap((endpoint) => endpoint.failures);
  const started = total(users.map((each) => each.started));
  const ended = total(users.map((each) => each.ended));
  return [
    ...(koMessages === undefined ? [] : messageDifferences(failures, koMessages)),
    ...(events === undefined
      ? []
      : [...eventDifferences(events, "START", started), ...eventDifferences(events, "END", ended)]),
  ];
}

function messageDifferences(
  failures: readonly { readonly message: string; readonly requests: number }[],
  koMessages: Readonly<Record<string, number>>,
): string[] {
  const found = Map.groupBy(failures, ({ message }) => message);
  const wanted = new Map(
    Object.entries(koMessages).map(([message, count]) => [cut(message), count]),
  );
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((message) => {
    const want = wanted.get(message) ?? 0;
    const got = total((found.get(message) ?? []).map(({ requests }) => requests));
    return got === want ? [] : [`${message}: ${got} failures, the log has ${want}`];
  });
}

function eventDifferences(
  events: Readonly<Record<string, number>>,
  event: "START" | "END",
  got: number,
): string[] {
  const own = Object.entries(events).filter(([name]) => name.endsWith(`|${event}`));
  const want = total(own.map(([, count]) => count));
  return got === want ? [] : [`users: ${got} ${event}, the log has ${want}`];
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function cut(text: string): string {
  if (text.length <= MESSAGE_CHARACTERS_MAX) return text;
  return `${text.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…`;
}
