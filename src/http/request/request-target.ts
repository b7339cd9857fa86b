import { HttpError, quoted } from "../response/http-error.ts";

export interface RequestTarget {
  /** Still encoded, with its leading slash. */
  readonly path: string;
  /** Still encoded, without `?`; may be empty. */
  readonly query: string;
  /** Host and port of a target in absolute form; `undefined` in the usual form. */
  readonly authority: string | undefined;
}

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;

/** Throws `malformed-request`, `address-too-long`, `bad-encoding`. */
export function parseTarget(target: string, bytesMax: number): RequestTarget {
  if (target.length > bytesMax) {
    throw new HttpError(
      "address-too-long",
      `request target of ${target.length} bytes is too long: expected at most ${bytesMax} (targetBytesMax)`,
    );
  }
  const complaint = complaintAbout(target);
  if (complaint !== undefined) {
    throw new HttpError(
      "malformed-request",
      `cannot read the target ${quoted(target)}: ${complaint}`,
    );
  }
  const absolute = ABSOLUTE_FORM.exec(target);
  const local = absolute === null ? target : `/${(absolute[2] ?? "").replace(/^\//, "")}`;
  const mark = local.indexOf("?");
  const path = mark === -1 ? local : local.slice(0, mark);
  try {
    decodeURIComponent(path);
  } catch {
    throw new HttpError("bad-encoding", `cannot decode the path ${quoted(path)}`);
  }
  return {
    path,
    query: mark === -1 ? "" : local.slice(mark + 1),
    authority: absolute?.[1],
  };
}

function complaintAbout(target: string): string | undefined {
  // Node decodes bytes above 0x7F as Latin-1.
  if (!/^[\x21-\x7E]+$/.test(target)) return "expected ASCII without spaces";
  if (target.includes("#")) return "expected no fragment";
  if (!target.startsWith("/") && !ABSOLUTE_FORM.test(target)) return "expected a path";
  return undefined;
}

/** One `name=value` of a query string, decoded. */
export interface QueryField {
  readonly name: string;
  readonly value: string;
}

/**
 * Decodes a query string without its `?`: fields in order, duplicates kept, `+` as a space. Throws
 * `bad-encoding` for a percent sign without two hex digits and for bytes that are not UTF-8.
 */
export function parseQuery(query: string): readonly QueryField[] {
  return query
    .split("&")
    .filter((field) => field !== "")
    .map((field) => {
      const equals = field.indexOf("=");
      if (equals === -1) return { name: decode(field), value: "" };
      return { name: decode(field.slice(0, equals)), value: decode(field.slice(equals + 1)) };
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpError(
      "bad-encoding",
      `cannot decode ${quoted(text)} in the query: expected UTF-8, plain or percent-encoded`,
    );
  }
}
