import { OVERVIEW, OVERVIEW_QUERY } from "../contract/overview.ts";
import { ROWS, ROWS_QUERY } from "../contract/rows.ts";
import { chooseRows } from "../objects/choose-rows.ts";
import { summarise } from "../objects/summarise.ts";
import type { ConsoleApp } from "./console-app.ts";
import { type ObjectsSource, readRows } from "./read-rows.ts";

/** The list of objects and the overview, both of one namespace or of all. */
export function addObjectsRoutes(app: ConsoleApp, source: ObjectsSource): void {
  app.get("/api/objects", { schema: { querystring: ROWS_QUERY, response: { 200: ROWS } } }, async ({ query }) => {
    const { rows, current } = await readRows(source, query.namespace ?? null);
    return { ...chooseRows(rows, query), current };
  });

  app.get(
    "/api/overview",
    { schema: { querystring: OVERVIEW_QUERY, response: { 200: OVERVIEW } } },
    async ({ query }) => {
      const { rows, current, audited } = await readRows(source, query.namespace ?? null);
      return { ...summarise(rows, audited), current };
    },
  );
}
