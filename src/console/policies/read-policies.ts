import { type ApiPath, apiPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { readBundleReport, REPORT_KEY } from "../../model/bundle-format/bundle-report.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { BUNDLES_CONFIGMAP } from "../../model/names.ts";
import { inside } from "../../model/schemas/setting-problem.ts";
import { formatTime } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import type { Exemption, Policies } from "../contract/policies.ts";
import { reportedBundles } from "./reported-bundles.ts";

const FLAG = "--bundle=";

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The reference in the arguments of the webhook's Deployment. */
function followedBy(deployment: unknown): string | null {
  const containers = inside(deployment, "spec", "template", "spec", "containers");
  const args = (Array.isArray(containers) ? containers : []).flatMap((one: unknown) =>
    isObject(one) ? texts(one["args"]) : [],
  );
  const found = args.find((arg) => arg.startsWith(FLAG));
  return found?.slice(FLAG.length) ?? null;
}

/** The bundles that reports of an audit name. Recorded audits name none. Pure. */
export function auditedIn(reports: readonly unknown[]): Policies["audited"] {
  const digests = reports.flatMap((report) => (isObject(report) ? texts([report["bundle"]]) : []));
  return [...Map.groupBy(digests, (digest) => digest)].map(([digest, all]) => ({ digest, namespaces: all.length }));
}

/** The exemptions in a bundle's settings. Times are texts in one format, as the rules compare them. Pure. */
export function exemptionsIn(settings: unknown, nowSeconds: number): Exemption[] {
  const given = inside(settings, "exemptions");
  const now = formatTime(nowSeconds);
  return (Array.isArray(given) ? given : []).filter(isObject).map((one) => {
    const textOf = (key: string): string => texts([one[key]])[0] ?? "";
    const expires = textOf("expires");
    return {
      ...{ id: textOf("id"), owner: textOf("owner"), reason: textOf("reason"), expires },
      isOver: now.slice(0, expires.length) > expires,
      ...{ codes: texts(one["codes"]), namespaces: texts(one["namespaces"]), names: texts(one["names"]) },
    };
  });
}

export interface PoliciesSource {
  client: KubeClient;
  policy: LoadedBundle;
  systemNamespace: string;
  /** `data.landfall.settings` of the bundle. */
  settings: unknown;
  nowSeconds: () => number;
}

const ownOf = ({ ref, digest, revision, expires, others }: LoadedBundle): Policies["own"] => ({
  ...{ ref, digest, revision, expires: expires === null ? null : formatTime(expires) },
  others: others.map(({ name, kind, digest: of, revision: at, date }) => ({
    ...{ name, kind, digest: of, revision: at, date: date === null ? null : formatTime(date) },
  })),
});

/** Namespaces that are asked about for one page. */
const MOST_ASKED = 50;

/** The exemptions whose namespaces the user can all read; all for a user who lists namespaces. Throws REL_API…. */
async function readableOf(client: KubeClient, all: readonly Exemption[]): Promise<Exemption[]> {
  const refusedAs = (thrown: unknown): false => {
    if (hasStatus(thrown, 403) || hasStatus(thrown, 404)) return false;
    throw thrown;
  };
  const can = (path: ApiPath, query = {}): Promise<boolean> =>
    client.get(path, { query }).then((found) => found !== null, refusedAs);
  if (all.length === 0 || (await can(apiPath`/api/v1/namespaces`, { limit: 1 }))) return [...all];
  // A pattern is the name of no namespace.
  const names = [...new Set(all.flatMap(({ namespaces }) => namespaces))].filter((name) =>
    /^[a-z0-9-]{1,63}$/.test(name),
  );
  const asked = names.slice(0, MOST_ASKED);
  const found = await Promise.all(asked.map((name) => can(apiPath`/api/v1/namespaces/${name}`)));
  const readable = new Set(asked.filter((_, at) => found[at] === true));
  return all.filter(({ namespaces }) => namespaces.length > 0 && namespaces.every((name) => readable.has(name)));
}

/** The policies in force, with the rights of the user: what they cannot read is named in `unread`. Throws REL_API…. */
export async function readPolicies(source: PoliciesSource): Promise<Policies> {
  const { client, policy, systemNamespace, settings, nowSeconds } = source;
  const unread: string[] = [];
  const read = async <T>(what: string, asked: Promise<T>, none: T): Promise<T> =>
    asked.catch((thrown: unknown) => {
      if (hasStatus(thrown, 403)) unread.push(what);
      else if (!hasStatus(thrown, 404)) throw thrown;
      return none;
    });
  const bundles = async (): Promise<
    Pick<Policies, "followed" | "active" | "reportedBy" | "eventsSince" | "quarantined">
  > => {
    const path = apiPath`/api/v1/namespaces/${systemNamespace}/configmaps/${BUNDLES_CONFIGMAP}`;
    const kept = await read(`ConfigMap ${BUNDLES_CONFIGMAP} in ${systemNamespace}`, client.get<Resource>(path), null);
    const report = readBundleReport(kept?.data?.[REPORT_KEY]);
    if (report !== null) {
      const { follows, active, quarantined } = report;
      return { followed: follows, active, quarantined, reportedBy: "report", eventsSince: null };
    }
    // A webhook of an earlier version keeps no report.
    const [deployment, events] = await Promise.all([
      read(
        "the webhook's Deployment",
        client.get<unknown>(apiPath`/apis/apps/v1/namespaces/${systemNamespace}/deployments/landfall-webhook`),
        null,
      ),
      read("Events in namespace default", listObjects(client, apiPath`/api/v1/namespaces/default/events`), null),
    ]);
    return { followed: followedBy(deployment), ...reportedBundles(events?.items ?? []) };
  };
  const [reported, audits] = await Promise.all([
    bundles(),
    read(
      "PlacementReports of all namespaces",
      listObjects(client, apiPath`/apis/landfall.dev/v1alpha1/placementreports`),
      null,
    ),
  ]);
  const exemptions = exemptionsIn(settings, nowSeconds());
  const shown = await readableOf(client, exemptions);
  if (shown.length < exemptions.length) unread.push("exemptions beyond the namespaces that you can read");
  return {
    own: ownOf(policy),
    ...reported,
    audited: auditedIn(audits?.items ?? []),
    unread: unread.toSorted(),
    exemptions: shown,
  };
}
