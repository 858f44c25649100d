import { nowSeconds } from "../../model/time.ts";
import { OVERVIEW, OVERVIEW_QUERY } from "../contract/overview.ts";
import { ROWS, ROWS_QUERY } from "../contract/rows.ts";
import { chooseFirst, chooseRows } from "../objects/choose-rows.ts";
import { summarise } from "../objects/summarise.ts";
import type { InTurn } from "../server/turns.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";
import { type ObjectsSource, readFirst, readRows } from "./read-rows.ts";

export interface ObjectsRoutesSource extends ObjectsSource {
  inTurn: InTurn;
}

/** The list of objects and the overview, both of one namespace or of all. */
export function addObjectsRoutes(app: ConsoleApp, { inTurn, ...source }: ObjectsRoutesSource): void {
  app.get(
    "/api/objects",
    { schema: { querystring: ROWS_QUERY, response: { 200: ROWS } } },
    async ({ query }, reply) => {
      const [left, namespace] = [leftBy(reply), query.namespace ?? null];
      const first = await readFirst(source, namespace);
      const early = first === null ? null : await inTurn(() => chooseFirst(first, query, nowSeconds()), left);
      if (early !== null) return { ...early, current: false };
      const { rows, current } = await readRows(source, namespace);
      return { ...(await inTurn(() => chooseRows(rows, query, nowSeconds()), left)), current };
    },
  );

  app.get(
    "/api/overview",
    { schema: { querystring: OVERVIEW_QUERY, response: { 200: OVERVIEW } } },
    async ({ query }, reply) => {
      const { rows, current, audited } = await readRows(source, query.namespace ?? null);
      return { ...(await inTurn(() => summarise(rows, audited), leftBy(reply))), current };
    },
  );
}
