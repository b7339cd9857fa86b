import { EVENT, type EventJson, EVENTS, NEW_EVENT, type NewEvent } from "../../api/measures.ts";
import type { LoadTestEvents } from "../../catalogue/catalogue.ts";
import type { Parameter } from "../request/parameters.ts";
import { LOAD_TEST_IN_PATH, SELECTED_ROUTE } from "../request/selection.ts";
import { NO_CONTENT, jsonResponse, type Route } from "../route.ts";

const PATH = "/Api/LoadTests/{id}/Events";

export function createEventsRoute(
  readEvents: (loadTestId: string) => Promise<readonly EventJson[]>,
): Route {
  return {
    ...SELECTED_ROUTE,
    path: PATH,
    operationId: "getEvents",
    summary: "Events of a load test",
    description: "Returns what happened during a load test, such as deploys, ramps and incidents.",
    parameters: [LOAD_TEST_IN_PATH],
    schema: EVENTS,
    async handle(values) {
      return jsonResponse(await readEvents(values.get("id") ?? ""), { isCacheable: true });
    },
  };
}

const EVENT_IN_PATH: Parameter = {
  name: "event",
  in: "path",
  description: "Id of the event.",
  required: true,
  schema: { type: "string", minLength: 1 },
  example: "mcx3k2a8-9f3a1c",
};

export function createEventChangeRoutes(events: LoadTestEvents): readonly Route[] {
  return [
    {
      method: "POST",
      path: PATH,
      operationId: "addEvent",
      summary: "Add an event to a load test",
      description: "Adds an event. The same time and text again change nothing.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      body: { kind: "members", schema: NEW_EVENT, isOptional: false },
      schema: EVENT,
      statuses: [201],
      errors: [
        "bad-parameter",
        "unknown-load-test",
        "too-many-events",
        "storage-full",
        "store-read-only",
      ],
      async handle(values, { members }) {
        const event = await events.add(values.get("id") ?? "", members as NewEvent);
        return jsonResponse(event, { status: 201 });
      },
    },
    {
      method: "DELETE",
      path: `${PATH}/{event}`,
      operationId: "removeEvent",
      summary: "Remove an event of a load test",
      description: "Removes an event, if there is one with this id.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH, EVENT_IN_PATH],
      statuses: [204],
      errors: ["unknown-load-test", "storage-full", "store-read-only"],
      async handle(values) {
        await events.remove(values.get("id") ?? "", values.get("event") ?? "");
        return NO_CONTENT;
      },
    },
  ];
}
