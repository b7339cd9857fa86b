import { servesSideBySide } from "../suites/serving.ts";

servesSideBySide("cluster");
