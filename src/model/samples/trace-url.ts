const PLACE = "{traceId}";
const LENGTH_MAX = 2000;

/** What a template of the address of a trace must be, in words. */
export const TRACE_URL_FORM = `an http or https address with ${PLACE} behind the host, such as https://tempo.example/trace/${PLACE}`;

/** Whether a template keeps its host whatever the trace is called, and has no user or password, which readers would see. */
export function isTraceUrl(template: string): boolean {
  if (!template.includes(PLACE) || template.length > LENGTH_MAX) return false;
  const [one, other] = ["a", "b"].map((traceId) => {
    const url = traceUrlOf(template, traceId);
    return URL.canParse(url) ? new URL(url) : undefined;
  });
  if (one === undefined || one.origin !== other?.origin) return false;
  const isWeb = one.protocol === "https:" || one.protocol === "http:";
  return isWeb && one.username === "" && one.password === "";
}

/** The address of a trace, whose id may be any text. */
export function traceUrlOf(template: string, traceId: string): string {
  const encoded = encodeURIComponent(traceId.toWellFormed());
  return template.replaceAll(PLACE, () => encoded);
}
