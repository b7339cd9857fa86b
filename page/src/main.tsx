import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/list.css";
import "./style/load-test.css";
import "./style/endpoints.css";
import "./style/upload.css";
import "./style/compare.css";
import "./style/charts.css";
import "./style/keys.css";
import { render } from "preact";
import { followLinks } from "./address/use-address.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
followLinks();
render(<App />, document.getElementById("page") as HTMLElement);
