import { servesSideBySide } from "../suites/serving.ts";

servesSideBySide("modern");
