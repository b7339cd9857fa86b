/** Operations that return what they received, one for each kind of body. */

import { createHash } from "node:crypto";
import { TEXT } from "../../src/api/parts.ts";
import { list, object, optional } from "../../src/api/schema.ts";
import { type Call, type Route, textResponse } from "../../src/http/route.ts";

/** The result of each read of a streaming operation: its bytes, or its error. */
export type Readings = { readonly bytes: number; readonly error: string | undefined }[];

const COMMON = {
  summary: "Shows what came",
  description: "For tests.",
  scope: "write",
  parameters: [],
  mediaType: "application/json",
  schema: {},
  errors: [],
} as const;

const STREAM = { kind: "stream", description: "Anything.", bytesMax: 1_000_000 } as const;

export function createBodyRoutes(readings: Readings): readonly Route[] {
  const measure = async (call: Call): Promise<string> => {
    const hash = createHash("sha1");
    let bytes = 0;
    let error: string | undefined;
    try {
      for await (const piece of call.body) {
        hash.update(piece);
        bytes += piece.length;
      }
    } catch (cause) {
      error = (cause as { code: string }).code;
      throw cause;
    } finally {
      readings.push({ bytes, error });
    }
    return JSON.stringify({ bytes, announced: call.bodyBytes ?? null, sha1: hash.digest("hex") });
  };
  return [
    {
      ...COMMON,
      method: "POST",
      path: "/members",
      operationId: "postMembers",
      statuses: [201],
      body: {
        kind: "members",
        isOptional: true,
        schema: object({
          name: optional(TEXT),
          pinned: optional({ type: "boolean" }),
          tags: optional(list(TEXT)),
        }),
      },
      handle: async (_, { members }) => ({ ...json(JSON.stringify(members)), status: 201 }),
    },
    {
      ...COMMON,
      method: "POST",
      path: "/decoded",
      operationId: "postDecoded",
      body: { ...STREAM, contentEncoding: "decoded" },
      handle: async (_, call) => json(await measure(call)),
    },
    {
      ...COMMON,
      method: "POST",
      path: "/kept",
      operationId: "postKept",
      body: { ...STREAM, contentEncoding: "kept" },
      errorForm: {
        mediaType: "application/json",
        schema: { type: "object" },
        write: ({ code, status }) => JSON.stringify({ error: `${status} ${code}` }),
      },
      keyReader: {
        read: ({ header, query }) =>
          header("authorization")[0]?.replace("Token ", "") ??
          query().find(({ name }) => name === "p")?.value,
        challenge: 'Basic realm="test"',
        expectation: "expected a token",
        schemes: { token: { type: "http", scheme: "basic" } },
      },
      handle: async (_, call) => json(await measure(call)),
    },
    {
      ...COMMON,
      method: "POST",
      path: "/unread",
      operationId: "postUnread",
      body: { ...STREAM, contentEncoding: "kept" },
      handle: async () => json("{}"),
    },
    {
      ...COMMON,
      method: "GET",
      path: "/things/{id}/parts",
      operationId: "getThing",
      scope: "read",
      parameters: [thing],
      handle: async (values) => json(JSON.stringify([...values])),
    },
    {
      ...COMMON,
      method: "DELETE",
      path: "/things/{id}/parts",
      operationId: "deleteThing",
      parameters: [thing],
      statuses: [204],
      handle: async () => ({ ...json(""), status: 204 }),
    },
  ];
}

const thing = {
  name: "id",
  in: "path",
  description: "",
  required: true,
  schema: { type: "string", minLength: 1 },
} as const;

function json(text: string): ReturnType<typeof textResponse> {
  return textResponse(text, { contentType: "application/json", isCacheable: false });
}
