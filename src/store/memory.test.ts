import { storeConforms } from "../../test/conformance/store.ts";
import { openMemoryStore } from "./memory.ts";

storeConforms("memory", async (clock) => openMemoryStore(clock));
