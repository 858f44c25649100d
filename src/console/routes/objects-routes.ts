import { OVERVIEW, OVERVIEW_QUERY } from "../contract/overview.ts";
import { type Row, ROWS, ROWS_QUERY } from "../contract/rows.ts";
import { chooseRows } from "../objects/choose-rows.ts";
import type { Store } from "../objects/open-store.ts";
import type { Stores } from "../objects/open-stores.ts";
import { verdictKey, type Verdicts } from "../objects/read-verdicts.ts";
import { summarise } from "../objects/summarise.ts";
import type { ConsoleApp } from "./console-app.ts";

export interface ObjectsSource {
  stores: Stores;
  verdicts: (namespace: string | null) => Promise<Verdicts | null>;
}

const withVerdicts = (store: Store, verdicts: Verdicts | null): Row[] =>
  [...store.rows()].map((row) => {
    const verdict = verdicts?.get(verdictKey(row)) ?? null;
    return verdict === row.verdict ? row : { ...row, verdict };
  });

/** The list of objects and the overview, both of one namespace or of all. */
export function addObjectsRoutes(app: ConsoleApp, { stores, verdicts }: ObjectsSource): void {
  async function read(namespace: string | null): Promise<{ rows: Row[]; current: boolean; audited: boolean }> {
    const store = await stores.of(namespace);
    // While the API server is unavailable, the last known rows are shown without verdicts.
    const found = await verdicts(namespace).catch(() => null);
    return { rows: withVerdicts(store, found), current: store.isCurrent(), audited: found !== null };
  }

  app.get("/api/objects", { schema: { querystring: ROWS_QUERY, response: { 200: ROWS } } }, async ({ query }) => {
    const { rows, current } = await read(query.namespace ?? null);
    return { ...chooseRows(rows, query), current };
  });

  app.get(
    "/api/overview",
    { schema: { querystring: OVERVIEW_QUERY, response: { 200: OVERVIEW } } },
    async ({ query }) => {
      const { rows, current, audited } = await read(query.namespace ?? null);
      return { ...summarise(rows, audited), current };
    },
  );
}
