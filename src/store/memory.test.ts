import { describe } from "vitest";
import { storeConforms } from "../../test/conformance/store.ts";
import { detailsConform } from "../../test/conformance/store/details.ts";
import { openMemoryStore } from "./memory.ts";

storeConforms("memory", async (clock) => openMemoryStore(clock));

describe("memory: details", () => {
  detailsConform(async () => openMemoryStore());
});
