interface LocustRequest {
  readonly traceId: string;
  readonly spanId: string;
  readonly label: string;
  readonly second: number;
  /** In addition to those of every request. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Returns what a sender of Locust's spans posts: passed requests of 10 ms each. */
export function locustSpans(requests: readonly LocustRequest[]): string {
  const spans = requests.map(({ traceId, spanId, label, second, attributes }) => ({
    traceId,
    spanId,
    name: label,
    kind: 3,
    startTimeUnixNano: `${second}000000000`,
    endTimeUnixNano: `${second}010000000`,
    attributes: [
      attribute("http.request.method", "GET"),
      attribute("url.full", "http://127.0.0.1/"),
      ...Object.entries(attributes).map(([key, text]) => attribute(key, text)),
      { key: "http.response.status_code", value: { intValue: "200" } },
    ],
  }));
  const resource = { attributes: [attribute("service.name", "locust")] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

function attribute(key: string, stringValue: string) {
  return { key, value: { stringValue } };
}
