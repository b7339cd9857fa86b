import { describe } from "vitest";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { facetsConform } from "./store/facets.ts";

describe("a load test of very many endpoints", () => {
  facetsConform(() => openStoreIn(temporaryDirectory(), { listedMax: 0 }), ["a", "a b", "ab"]);
});
