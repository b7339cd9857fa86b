import type { Api } from "../client/api.ts";
import type { AccessKey } from "../model/access-key.ts";
import type { Call, Route, RouteResponse } from "./route.ts";

/**
 * Operations called in this process, with the rights of `key`. Parameters and bodies are those of typed code, and so not
 * checked again.
 */
export function openDirectApi(routes: readonly Route[], key: AccessKey | undefined): Api {
  const routesByName = new Map(routes.map((route) => [route.operationId, route]));
  const answer = async (name: string, parameters: object, body: object = {}) => {
    const route = routesByName.get(name);
    if (route === undefined) throw new Error(`BUG: there is no operation ${name}`);
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const values = new Map(given.map(([parameter, value]) => [parameter, String(value)]));
    const sent = body instanceof ReadableStream ? { body } : { members: { ...body } };
    return route.handle(values, { ...NO_CALL, key, ...sent });
  };
  const api: Pick<Api, "open"> & Record<"ask", (...call: Asked) => Promise<unknown>> = {
    async ask(name, parameters, body) {
      const text = await textOf(await answer(name, parameters, body));
      return text === "" ? undefined : JSON.parse(text);
    },
    async *open(name, parameters) {
      yield* chunksOf(await answer(name, parameters));
    },
  };
  return api as Api;
}

type Asked = [name: string, parameters: object, body?: object];

const NO_CALL: Call = {
  members: {},
  body: (async function* nothing() {})(),
  bodyBytes: undefined,
  key: undefined,
  sentKey: undefined,
  query: "",
  address: "",
  isSecure: false,
  isForHead: false,
  header: () => [],
};

async function* chunksOf(answer: RouteResponse): AsyncGenerator<Uint8Array> {
  try {
    yield* answer.chunks();
  } finally {
    answer.release();
  }
}

async function textOf(answer: RouteResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(answer)) text += decoder.decode(chunk, { stream: true });
  return text;
}
