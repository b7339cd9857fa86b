/** A request and its expected status. */
export interface Row {
  readonly url: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: Method;
  readonly payload?: object | string;
}

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Makes a request with a key for each payload, in order; text is sent without a content type. */
export function requestsWith(key: string) {
  return (
    method: Method,
    url: string,
    answers: readonly (readonly [payload: object | string | undefined, status: number])[],
  ): readonly Row[] =>
    answers.map(([payload, status]) => ({
      method,
      url,
      status,
      headers: { "x-service-auth": key },
      ...(payload === undefined ? {} : { payload }),
    }));
}

/** Line protocol and OpenTelemetry's protocol. */
export function liveRows(key: string): readonly Row[] {
  const changing = requestsWith(key);
  return [
    ...changing("POST", "/write?db=lines", [
      ["http_req_duration,name=a,status=200 value=5 1700000000000000000\n", 204],
      ["oops", 400],
    ]),
    ...changing("POST", "/write", [["a v=1", 400]]),
    ...changing("POST", "/api/v2/write?bucket=lines&precision=s", [
      ["http_req_duration,name=a,status=200 value=5 1700000000\n", 204],
      ["oops", 400],
    ]),
    ...otlpRows(key),
    ...remoteWriteRows(key),
  ];
}

/** Bodies to both operations of OpenTelemetry's protocol. */
function otlpRows(key: string): readonly Row[] {
  const bodies = [
    ["{}", "application/json", 200],
    ["oops", "application/json", 400],
    ["oops", "text/plain", 415],
  ] as const;
  return ["/v1/traces", "/v1/metrics"].flatMap((url) =>
    bodies.map(([payload, type, status]) => ({
      method: "POST",
      url,
      status,
      payload,
      headers: { "x-service-auth": key, "x-load-test": "otlp", "content-type": type },
    })),
  );
}

/** An empty message of remote write, and others. */
function remoteWriteRows(key: string): readonly Row[] {
  const bodies = [
    ["\0", "application/x-protobuf", 204],
    ["oops", "application/x-protobuf", 400],
    ["oops", "text/plain", 415],
  ] as const;
  return bodies.map(([payload, type, status]) => ({
    method: "POST",
    url: "/api/v1/write",
    status,
    payload,
    headers: { "x-service-auth": key, "content-type": type, "content-encoding": "snappy" },
  }));
}

/** In lower case, as in the document. */
export function methodOf({ method = "GET" }: Row): string {
  return method.toLowerCase();
}

/** As in the document. */
export function pathOf({ url }: Row): string {
  const path = url.split("?")[0] ?? "";
  return path
    .replace(/^(\/Api\/LoadTests\/)[^/]+/, "$1{id}")
    .replace(/(\/Files\/)[^/]+/, "$1{file}")
    .replace(/(\/Sources\/)[^/]+/, "$1{sourceId}")
    .replace(/(\/Events\/)(?!Stream)[^/]+/, "$1{event}")
    .replace(/(\/(?:Keys|Links|Thresholds)\/)[^/]+/, "$1{name}");
}
