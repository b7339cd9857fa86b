import { outcomesConform } from "../../conformance/store/outcomes.ts";
import { storeConforms } from "../../conformance/store.ts";
import { openMemoryStore } from "./memory-store.ts";

storeConforms("memory", async (clock) => openMemoryStore(clock));
outcomesConform(async () => openMemoryStore());
