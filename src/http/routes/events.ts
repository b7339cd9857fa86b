import {
  EVENT,
  EVENT_CHANGES,
  type EventJson,
  EVENTS,
  NEW_EVENT,
  type NewEvent,
} from "../../api/measures.ts";
import type { LoadTestEvents } from "../../catalogue/catalogue.ts";
import { pathParameter } from "../request/parameters.ts";
import { idOf, LOAD_TEST_IN_PATH, SELECTED_ROUTE } from "../request/selection.ts";
import { NO_CONTENT, jsonResponse, type Route, STORE_ERRORS } from "../route.ts";

const PATH = "/Api/LoadTests/{id}/Events";
const EVENT_IN_PATH = pathParameter("event", "Id of the event.", "mcx3k2a8-9f3a1c");

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
      return jsonResponse(await readEvents(idOf(values)), { isCacheable: true });
    },
  };
}

export function createEventChangeRoutes(events: LoadTestEvents): readonly Route[] {
  return [
    {
      method: "POST",
      path: PATH,
      operationId: "addEvent",
      summary: "Add an event to a load test",
      description:
        "Adds an event or a note, by the name of the key. The same again changes nothing.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      body: { kind: "members", schema: NEW_EVENT, isOptional: false },
      schema: EVENT,
      statuses: [201],
      errors: ["bad-parameter", "unknown-load-test", "too-many-events", ...STORE_ERRORS],
      async handle(values, { members, key }) {
        const event = await events.add(idOf(values), members as NewEvent, key?.name || undefined);
        return jsonResponse(event, { status: 201 });
      },
    },
    {
      method: "PATCH",
      path: `${PATH}/{event}`,
      operationId: "changeEvent",
      summary: "Change an event of a load test",
      description: "Changes the given members; id, author and time of writing stay.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH, EVENT_IN_PATH],
      body: { kind: "members", schema: EVENT_CHANGES, isOptional: false },
      schema: EVENT,
      errors: ["bad-parameter", "unknown-load-test", ...STORE_ERRORS],
      async handle(values, { members }) {
        const id = values.get("event") ?? "";
        return jsonResponse(await events.change(idOf(values), id, members));
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
      errors: ["unknown-load-test", ...STORE_ERRORS],
      async handle(values) {
        await events.remove(idOf(values), values.get("event") ?? "");
        return NO_CONTENT;
      },
    },
  ];
}
