import { expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";
import type { AnsweredRequest } from "./access-log.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("the server hands over each request, by the path of its operation", async () => {
  const traced: AnsweredRequest[] = [];
  const { server, key } = await createTestServer({
    dependencies: { trace: (request) => void traced.push(request) },
  });
  const headers = { "x-service-auth": key, traceparent: PARENT };
  await server.inject({ url: "/Api/LoadTests/run/Summary", headers });
  await server.inject({ url: "/nowhere" });
  expect(traced).toEqual([
    expect.objectContaining({
      method: "GET",
      route: "/Api/LoadTests/{id}/Summary",
      status: 200,
      isComplete: true,
      traceparent: PARENT,
    }),
    expect.objectContaining({ route: undefined, status: 404, traceparent: undefined }),
  ]);
  await server.close();
});
