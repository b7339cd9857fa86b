import { ApiError } from "./api-error.ts";
import { forgetKey, storedKey } from "./key.ts";

export { ApiError };

/** Where the service is: the path that the page itself is under, without a slash at the end. */
export const BASE_PATH = import.meta.env.BASE_URL.replace(/\/$/, "");

/** Values of a query; what is `undefined` is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of an operation, as the page asks it and as people may copy it. */
export function operationUrl(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `${BASE_PATH}${path}${search.size === 0 ? "" : `?${search}`}`;
}

export interface AskOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  readonly method?: "POST" | "PATCH" | "DELETE";
  readonly json?: unknown;
}

/** Asks an operation for JSON. Throws `ApiError`, and what an abort throws. */
export async function ask<Answer>(path: string, options: AskOptions = {}): Promise<Answer> {
  const response = await answerOf(path, options, "application/json");
  if (response.status === 204) return undefined as Answer;
  return (await response.json().catch(brokenOff)) as Answer;
}

/** Asks an operation for a file. Throws `ApiError`, and what an abort throws. */
export async function askFile(path: string, query: Query, mediaType: string): Promise<Blob> {
  const response = await answerOf(path, { query }, mediaType);
  return response.blob().catch(brokenOff);
}

async function answerOf(path: string, options: AskOptions, mediaType: string): Promise<Response> {
  const { query, signal, method = "GET", json } = options;
  const response = await reach(operationUrl(path, query), {
    method,
    headers: {
      Accept: mediaType,
      ...keyHeader(),
      ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(signal === undefined ? {} : { signal }),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (!response.ok) {
    const { status, statusText } = response;
    throw errorOf(status, statusText, await response.json().catch(() => ({})));
  }
  return response;
}

/** An answer that ends early, or that somebody else gives who stands before the service. */
function brokenOff(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(0, "unreachable", "The service does not answer.");
}

/** The header that carries the key, for requests that are made elsewhere. */
export function keyHeader(): Record<string, string> {
  const key = storedKey();
  return key === undefined ? {} : { "X-Service-Auth": key };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    return brokenOff(error);
  }
}

/**
 * The error that an answer other than a good one stands for. What comes from somebody who stands before
 * the service has no `problem`: then its status is all there is to tell.
 */
export function errorOf(status: number, statusText: string, problem: unknown): ApiError {
  const answer = `The answer was ${status} ${statusText}`.trim();
  const { type = "", detail = "", title = answer } = problem as Record<string, string>;
  const code = type.slice(type.lastIndexOf(":") + 1);
  if (status === 401) forgetKey();
  return new ApiError(status, code, detail === "" ? title : detail);
}
