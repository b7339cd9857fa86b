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

/** In lower case, as in the document. */
export function methodOf({ method = "GET" }: Row): string {
  return method.toLowerCase();
}

/** As in the document. */
export function pathOf({ url }: Row): string {
  const path = url.split("?")[0] ?? "";
  return path
    .replace(/^(\/Api\/LoadTests\/)[^/]+/, "$1{id}")
    .replace(/(\/Sources\/)[^/]+/, "$1{sourceId}")
    .replace(/(\/(?:Keys|Links|Thresholds)\/)[^/]+/, "$1{name}");
}
