import type { KubeClient } from "../../cluster/client/create-client.ts";
import { LandfallError } from "../../errors.ts";
import { nowSeconds } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { MAP, MAP_QUERY } from "../contract/map.ts";
import { placesMap } from "../map/places-map.ts";
import type { Geography } from "../map/read-geography.ts";
import type { Stores } from "../objects/open-stores.ts";
import { askNamespace } from "../objects/read-namespace.ts";
import type { InTurn } from "../server/turns.ts";
import type { Outlook } from "../timeline/outlook.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";
import { timeIn } from "../server/time-in.ts";

export interface MapSource {
  client: KubeClient;
  stores: Stores;
  policy: LoadedBundle;
  geography: Geography;
  outlook: Outlook;
  inTurn: InTurn;
}

/** Without a namespace, the rules of the platform alone. */
const NONE = { data: { name: "default", labels: {}, annotations: {} }, readable: true } as const;

/** The places of the catalog, with the rules of one namespace, or of the platform alone. */
export function addMapRoute(app: ConsoleApp, { client, stores, policy, geography, outlook, inTurn }: MapSource): void {
  app.get("/api/map", { schema: { querystring: MAP_QUERY, response: { 200: MAP } } }, async ({ query }, reply) => {
    const { namespace: name, at, origin = null } = query;
    if (origin !== null && !Object.hasOwn(policy.catalog.places, origin))
      throw new LandfallError("CONSOLE_REQUEST", { detail: "origin is not a place of the catalog" });
    const store = await stores.of(name ?? null);
    const { data: namespace, readable } = name === undefined ? NONE : await askNamespace(client, name);
    const now = nowSeconds();
    const rows = await store.rows();
    const times = { nowSeconds: now, atSeconds: timeIn("at", at, now), forecasts: outlook.book() };
    const asked = { policy, geography, namespace, rows, origin, ...times };
    return { ...(await inTurn(() => placesMap(asked), leftBy(reply))), readable, current: store.isCurrent() };
  });
}
