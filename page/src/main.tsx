import "./styles.ts";
import { render } from "preact";
import { followLinks } from "./address/use-address.ts";
import { App } from "./app.tsx";
import { applyTheme, followSystemTheme } from "./shell/theme.ts";

applyTheme();
followSystemTheme();
followLinks();
render(<App />, document.getElementById("page") as HTMLElement);
