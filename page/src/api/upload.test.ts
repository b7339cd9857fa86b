import { afterAll, expect, test, vi } from "vitest";

const asked = vi.hoisted(() => ({ stop: async (): Promise<unknown> => ({ reports: [] }) }));
vi.mock("./client.ts", async () => ({
  ApiError: (await import("./api-error.ts")).ApiError,
  ask: () => asked.stop(),
  addressOf: () => "/Api",
  keyHeader: () => ({}),
  inPage: (error: unknown) => error,
}));

// Test files share modules.
vi.resetModules();
const { ApiError } = await import("./api-error.ts");
const { upload } = await import("./upload.ts");
afterAll(() => void vi.resetModules());

/** A request whose answer a test gives. */
class Request extends EventTarget {
  static last: Request | undefined;
  readonly upload = new EventTarget();
  status = 0;
  statusText = "";
  responseText = "";
  isAborted = false;
  constructor() {
    super();
    Request.last = this;
  }
  open(): void {}
  setRequestHeader(): void {}
  send(): void {}
  abort(): void {
    this.isAborted = true;
  }
}

function begin() {
  vi.stubGlobal("XMLHttpRequest", Request);
  const how = { name: "", tags: [], groupUrls: false, allowEmpty: false, again: false };
  return upload(new File(["a"], "a.jtl"), { id: "a", ...how, onSent: () => undefined });
}

test("an upload that could not be stopped goes on to its report", async () => {
  asked.stop = async () => {
    throw new ApiError(503, "busy", "the store is busy");
  };
  const { report, stop } = begin();
  report.catch(() => undefined);
  await stop();
  const request = Request.last as Request;
  expect(request.isAborted).toBe(false);
  request.status = 201;
  request.responseText = JSON.stringify({ loadTestId: "a" });
  request.dispatchEvent(new Event("load"));
  await expect(report).resolves.toEqual({ loadTestId: "a" });
});

test("an upload that was stopped before anything was read is refused", async () => {
  asked.stop = async () => ({ reports: [] });
  const { report, stop } = begin();
  report.catch(() => undefined);
  await stop();
  expect(Request.last?.isAborted).toBe(true);
  await expect(report).rejects.toMatchObject({ code: "stopped" });
});
