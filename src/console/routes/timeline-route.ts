import { nowSeconds } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { TIMELINE, TIMELINE_QUERY } from "../contract/timeline.ts";
import type { InTurn } from "../server/turns.ts";
import type { Outlook } from "../timeline/outlook.ts";
import { readTimeline } from "../timeline/read-timeline.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";
import { type ObjectsSource, readRows } from "./read-rows.ts";

export interface TimelineSource extends ObjectsSource {
  policy: LoadedBundle;
  outlook: Outlook;
  inTurn: InTurn;
}

/** The objects over time, with the carbon intensity of their zones. */
export function addTimelineRoute(app: ConsoleApp, { policy, outlook, inTurn, ...source }: TimelineSource): void {
  app.get(
    "/api/timeline",
    { schema: { querystring: TIMELINE_QUERY, response: { 200: TIMELINE } } },
    async ({ query }, reply) => {
      const { rows, current } = await readRows(source, query.namespace ?? null);
      const asked = { policy, outlook, rows, query, nowSeconds: nowSeconds() };
      return { ...(await inTurn(() => readTimeline(asked), leftBy(reply))), current };
    },
  );
}
