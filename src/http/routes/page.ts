import { type RouteResponse, type Route, textResponse } from "../route.ts";
import { PAGE_POLICY, frontPageRoute } from "./front-page.ts";

/** The files of the built web UI. */
export interface PageFiles {
  /** The HTML document of every view. */
  readonly document: string;
  /** Assets by name below `assets/`; names contain a hash of the content. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

export interface PageAsset {
  readonly contentType: string;
  /** Text if it may contain the base path mark. */
  readonly content: string;
}

/** Placeholder for the base path in the built files. */
const BASE_PATH_MARK = "/__base__/";

/** Views besides the first one. */
const VIEW_PATHS = ["/t/{id}", "/compare/{base}/{id}", "/trend", "/trend/{name}", "/keys"];

const A_YEAR = "public, max-age=31536000, immutable";

/** Routes of the web UI: its views and assets. Only the first view is in the OpenAPI document. */
export function createPageRoutes(files: PageFiles, basePath: string): readonly Route[] {
  const document = files.document.replaceAll(BASE_PATH_MARK, `${basePath}/`);
  const handle = async (): Promise<RouteResponse> =>
    textResponse(document, {
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": PAGE_POLICY },
      isCacheable: true,
    });
  const first = { ...frontPageRoute, summary: "The page", handle };
  const views = VIEW_PATHS.map((path) => ({
    ...first,
    path,
    operationId: `page:${path}`,
    isDescribed: false,
  }));
  const assets = [...files.assets].map(([name, asset]) => assetRoute(name, asset, basePath));
  return [first, ...views, ...assets];
}

function assetRoute(name: string, asset: PageAsset, basePath: string): Route {
  const content = asset.content.replaceAll(BASE_PATH_MARK, `${basePath}/`);
  return {
    ...frontPageRoute,
    path: `/assets/${name}`,
    operationId: `page:${name}`,
    isDescribed: false,
    mediaType: asset.contentType.replace(/;.*/, ""),
    handle: async () =>
      textResponse(content, {
        contentType: asset.contentType,
        headers: { "Cache-Control": A_YEAR },
        isCacheable: true,
      }),
  };
}
