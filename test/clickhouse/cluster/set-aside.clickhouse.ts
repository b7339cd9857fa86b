import { setsContentsAside } from "../suites/set-aside.ts";

setsContentsAside("cluster");
