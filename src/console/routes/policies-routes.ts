import { apiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import type { NamespaceData } from "../../model/kubernetes.ts";
import type { Row } from "../contract/rows.ts";
import {
  type Namespaces,
  NAMESPACES,
  NAMESPACES_QUERY,
  POLICIES,
  SETTINGS,
  SETTINGS_QUERY,
} from "../contract/policies.ts";
import { settingDenials } from "../map/places-map.ts";
import type { Geography } from "../map/read-geography.ts";
import type { Stores } from "../objects/open-stores.ts";
import { askNamespace, NOBODYS } from "../objects/read-namespace.ts";
import { placesLeft, quotasOf, rulesFor } from "../policies/namespace-rules.ts";
import { type PoliciesSource, readPolicies } from "../policies/read-policies.ts";
import { settingsInForce } from "../policies/settings-in-force.ts";
import type { InTurn } from "../server/turns.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";

export interface PoliciesRoutesSource extends PoliciesSource {
  stores: Stores;
  geography: Geography;
  inTurn: InTurn;
  /** The namespace of the kubeconfig, for users who cannot list namespaces. */
  ownNamespace: string;
}

/** Namespaces of one answer: the rules are asked about each. */
const MOST_NAMESPACES = 300;

/** The namespaces that the user can list; the own one if they cannot. `scope`: where their objects are listed; null for all. */
async function readNamespaces({
  client,
  ownNamespace,
}: PoliciesRoutesSource): Promise<{ all: NamespaceData[]; scope: string | null }> {
  try {
    const { items } = await listObjects(client, apiPath`/api/v1/namespaces`);
    const all = items
      .map(({ metadata: { name = "", labels = {}, annotations = {} } }) => ({ name, labels, annotations }))
      .filter(({ name }) => !name.startsWith("kube-"));
    return { all, scope: null };
  } catch (thrown) {
    if (!hasStatus(thrown, 403)) throw thrown;
    return { all: [(await askNamespace(client, ownNamespace)).data], scope: ownNamespace };
  }
}

/** The objects of a namespace, or of all; null for a user who cannot list them. Other failures are the page's. */
async function rowsOrNull(stores: Stores, namespace: string | null): Promise<Row[] | null> {
  try {
    return await (await stores.of(namespace)).rows();
  } catch (thrown) {
    if (hasStatus(thrown, 403)) return null;
    throw thrown;
  }
}

/** The policies in force, the settings of a namespace, and the places that the rules leave each namespace. */
export function addPoliciesRoutes(app: ConsoleApp, source: PoliciesRoutesSource): void {
  const { client, policy, settings, stores, geography, nowSeconds, inTurn } = source;
  const countries = [...new Set([...geography.towns.values()].map(({ country }) => country))].sort();

  app.get("/api/policies", { schema: { response: { 200: POLICIES } } }, () => readPolicies(source));

  app.get(
    "/api/policies/settings",
    { schema: { querystring: SETTINGS_QUERY, response: { 200: SETTINGS } } },
    async ({ query }, reply) => {
      const { namespace: name = source.ownNamespace } = query;
      const [{ data: namespace, readable }, rows] = await Promise.all([
        askNamespace(client, name),
        rowsOrNull(stores, name),
      ]);
      // The platform's limits for a namespace are for those who can read it, or its objects.
      const isTheirs = readable || rows !== null;
      const asked = { policy, namespace: isTheirs ? namespace : NOBODYS, rows, nowSeconds: nowSeconds() };
      const found = await inTurn(() => {
        const rules = rulesFor(asked);
        const { places: all, left, denials } = placesLeft(asked, geography, null, rules);
        const quotas = isTheirs ? quotasOf(asked, rules) : [];
        const inForce = settingsInForce(settings, asked.namespace, settingDenials(rules));
        return { settings: inForce, quotas, places: { all, left }, denials };
      }, leftBy(reply));
      return { namespace: name, readable, ...found };
    },
  );

  app.get(
    "/api/policies/namespaces",
    { schema: { querystring: NAMESPACES_QUERY, response: { 200: NAMESPACES } } },
    async ({ query: { country = null } }, reply) => {
      const { all, scope } = await readNamespaces(source);
      const rows = await rowsOrNull(stores, scope);
      const [now, gone] = [nowSeconds(), leftBy(reply)];
      const ruled = (namespace: NamespaceData): Namespaces["namespaces"][number] => {
        const asked = { policy, namespace, rows, nowSeconds: now };
        const rules = rulesFor(asked);
        const left = placesLeft(asked, geography, country, rules);
        return { namespace: namespace.name, ...left, quotas: quotasOf(asked, rules) };
      };
      const namespaces = [];
      for (const namespace of all.slice(0, MOST_NAMESPACES))
        namespaces.push(await inTurn(() => ruled(namespace), gone));
      return { countries, namespaces, omitted: Math.max(0, all.length - MOST_NAMESPACES) };
    },
  );
}
