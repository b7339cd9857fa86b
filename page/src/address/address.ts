/** The URL is the only state of the page; everything shown follows from it. */

import { BASE_PATH } from "../api/client.ts";
import { LINK_KEY } from "../api/link-key.ts";

export type View =
  | { readonly name: "tests" }
  | { readonly name: "list" }
  | { readonly name: "load-test"; readonly id: string }
  | { readonly name: "compare"; readonly base: string; readonly id: string }
  /** The parameters say which. */
  | { readonly name: "compare-runs" }
  | TrendAddress
  | { readonly name: "keys" }
  /** `lacks`: of a comparison, a run. */
  | { readonly name: "nowhere"; readonly lacks?: "run" | undefined };

/** Load tests with this name; without one, the parameters give their tag. */
interface TrendAddress {
  readonly name: "trend";
  readonly series: string | undefined;
}

export interface Address {
  readonly view: View;
  /** Parameters by name, each at most once. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a path (with the base path) and a query. */
export function readAddress(path: string, search: string): Address {
  const parameters = new Map(new URLSearchParams(search));
  const own = path.startsWith(BASE_PATH) ? path.slice(BASE_PATH.length) : path;
  return { view: viewOf(own.split("/").slice(1).map(decoded)), parameters };
}

function viewOf(segments: readonly (string | undefined)[]): View {
  const [first, second = "", third = ""] = segments;
  if (segments.includes(undefined)) return { name: "nowhere" };
  switch (`${first} ${segments.length}`) {
    case " 1":
      return { name: "tests" };
    case "runs 1":
      return { name: "list" };
    case "t 2":
      return { name: "load-test", id: second };
    case "compare 3":
      return pairOf(second, third);
    case "compare 1":
      return { name: "compare-runs" };
    case "trend 1":
      return { name: "trend", series: undefined };
    case "trend 2":
      return { name: "trend", series: second };
    case "keys 1":
      return { name: "keys" };
    default:
      return { name: "nowhere" };
  }
}

function pairOf(base: string, id: string): View {
  const isPair = base !== "" && id !== "";
  return isPair ? { name: "compare", base, id } : { name: "nowhere", lacks: "run" };
}

/** `undefined` for text that is not percent-encoded UTF-8. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The URL of a view, for links; keeps the key of a link. */
export function linkTo(view: View, parameters?: ReadonlyMap<string, string>): string {
  return `${addressTo(view, parameters)}${LINK_KEY === undefined ? "" : `#${LINK_KEY}`}`;
}

/** The URL of a view without any key. */
export function addressTo(view: View, parameters: ReadonlyMap<string, string> = new Map()): string {
  const search = new URLSearchParams([...parameters]);
  return `${BASE_PATH}${pathOf(view)}${search.size === 0 ? "" : `?${search}`}`;
}

function pathOf(view: View): string {
  switch (view.name) {
    case "load-test":
      return `/t/${encodeURIComponent(view.id)}`;
    case "compare":
      return `/compare/${encodeURIComponent(view.base)}/${encodeURIComponent(view.id)}`;
    case "compare-runs":
      return "/compare";
    case "trend":
      return view.series === undefined ? "/trend" : `/trend/${encodeURIComponent(view.series)}`;
    case "keys":
      return "/keys";
    case "list":
      return "/runs";
    case "tests":
    case "nowhere":
      return "/";
    default:
      throw new Error(`BUG: no path for ${JSON.stringify(view satisfies never)}`);
  }
}
