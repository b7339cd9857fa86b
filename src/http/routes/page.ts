import { type Answer, type Route, wholeAnswer } from "../route.ts";
import { PAGE_POLICY, frontPageRoute } from "./front-page.ts";

/** The files of the page as they were built. */
export interface PageFiles {
  /** The document that every view is. */
  readonly document: string;
  /** What it needs, by the name below `assets/`; a name is never used for other contents. */
  readonly assets: ReadonlyMap<string, PageAsset>;
}

export interface PageAsset {
  readonly contentType: string;
  /** Text, where the name of the base path may stand in it. */
  readonly content: string;
}

/** Stands in the files for the path that the service is reached under. */
const BASE_PATH_MARK = "/__base__/";

/** Views besides the first one; what they show is the page's own affair. */
const VIEW_PATHS = ["/t/{id}", "/compare/{base}/{id}", "/trend", "/trend/{name}", "/keys"];

const A_YEAR = "public, max-age=31536000, immutable";

/** The routes of the page: its views and what they need. Only the first view is an operation. */
export function createPageRoutes(files: PageFiles, basePath: string): readonly Route[] {
  const document = files.document.replaceAll(BASE_PATH_MARK, `${basePath}/`);
  const handle = async (): Promise<Answer> =>
    wholeAnswer(document, {
      contentType: "text/html; charset=utf-8",
      headers: { "Content-Security-Policy": PAGE_POLICY },
      isKept: true,
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
      wholeAnswer(content, {
        contentType: asset.contentType,
        headers: { "Cache-Control": A_YEAR },
        isKept: true,
      }),
  };
}
