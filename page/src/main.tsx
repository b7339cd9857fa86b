import "./styles.ts";
import "./style/inter.css";
import { render } from "preact";
import { followLinks } from "./address/use-address.ts";
import { followLinkKeys } from "./api/link-key.ts";
import { noteReturn } from "./api/sign-in.ts";
import { App } from "./app.tsx";
import { followPrinting } from "./parts/printing.ts";
import { applyTheme, followSystemTheme } from "./shell/theme.ts";

// Charts draw their texts on a canvas, which does not wait for a font; one that cannot be loaded stops nothing.
await document.fonts.load("1em Inter").catch(() => undefined);
applyTheme();
followSystemTheme();
followPrinting();
noteReturn();
followLinks();
followLinkKeys();
render(<App />, document.getElementById("page") as HTMLElement);
