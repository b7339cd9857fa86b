/** One request, independent of a format. */
export interface PlannedRequest {
  readonly label: string;
  readonly startMs: number;
  readonly elapsedMs: number;
  readonly receivedBytes: number;
  readonly failed: boolean;
}

/** Writes requests in the format of a tool. */
export interface Writer {
  readonly format: string;
  readonly recordsBytes: boolean;
  readonly write: (requests: readonly PlannedRequest[]) => string;
}

export const WRITERS: readonly Writer[] = [
  { format: "jmeter-csv", recordsBytes: true, write: writeJmeterCsv },
  { format: "jmeter-xml", recordsBytes: true, write: writeJmeterXml },
  { format: "k6-csv", recordsBytes: false, write: writeK6Csv },
  { format: "k6-json", recordsBytes: false, write: writeK6Json },
];

function writeJmeterCsv(requests: readonly PlannedRequest[]): string {
  const header = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,Latency";
  const rows = requests.map(({ label, startMs, elapsedMs, receivedBytes, failed }) =>
    [startMs, elapsedMs, csvField(label), failed ? 500 : 200, "", !failed, receivedBytes, 0].join(),
  );
  return [header, ...rows, ""].join("\n");
}

function writeJmeterXml(requests: readonly PlannedRequest[]): string {
  const elements = requests.map(
    ({ label, startMs, elapsedMs, receivedBytes, failed }) =>
      `<httpSample t="${elapsedMs}" lt="0" ts="${startMs}" s="${!failed}" lb="${xmlAttribute(label)}" by="${receivedBytes}"/>`,
  );
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">';
  return [head, ...elements, "", "</testResults>", ""].join("\n");
}

function writeK6Csv(requests: readonly PlannedRequest[]): string {
  const header =
    "metric_name,timestamp,metric_value,error,expected_response,name,status,url,extra_tags,metadata";
  const rows = requests.map(({ label, startMs, elapsedMs, failed }) =>
    [
      "http_req_duration",
      `${startMs + elapsedMs}`,
      elapsedMs.toFixed(6),
      "",
      !failed,
      csvField(label),
      failed ? 500 : 200,
      csvField(label),
      "",
      "",
    ].join(),
  );
  return [header, ...rows, ""].join("\n");
}

function writeK6Json(requests: readonly PlannedRequest[]): string {
  const metric = { name: "http_req_duration", type: "trend", contains: "time" };
  const head = { type: "Metric", data: metric, metric: "http_req_duration" };
  const points = requests.map(({ label, startMs, elapsedMs, failed }) => ({
    metric: "http_req_duration",
    type: "Point",
    data: {
      time: new Date(startMs + elapsedMs).toISOString(),
      value: elapsedMs,
      tags: {
        expected_response: String(!failed),
        name: label,
        status: failed ? "500" : "200",
        url: label,
      },
    },
  }));
  return [head, ...points].map((entry) => `${goJson(entry)}\n`).join("");
}

/** RFC 4180, which JMeter and k6 follow. */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Escapes attributes like JMeter: everything that could end one, and every control character. */
function xmlAttribute(text: string): string {
  return text.replaceAll(/[\p{Cc}&<>"']/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `&#x${code.toString(16)};`;
  });
}

/** Go's encoder escapes `<`, `>`, `&`, U+2028 and U+2029. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[&<>\u2028\u2029]/g, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
