import { type ApiPath, apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover, objectPath } from "../../cluster/discover.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { LABEL } from "../../composition/keys.ts";
import { machineOver } from "../../composition/run/machine/run-sign.ts";
import { untilNull } from "../processes/wait-until.ts";
import type { KubernetesObject, Resource } from "../../model/kubernetes.ts";

/** API groups of the providers' resources, by their endings. */
const PROVIDERS = [".azure.com", ".services.k8s.aws", ".cnrm.cloud.google.com", "elemento.landfall.dev"];
const RELEASE = "meta.helm.sh/release-name";
const EVERY_MS = 250;
/** Kinds of machines, by their endings. */
const MACHINE = /(^Instance|^ComputeInstance|^VirtualMachine|^ElementoVm)$/;

interface Groups {
  groups: { name: string }[];
}

const isProvider = ({ name }: { name: string }): boolean => PROVIDERS.some((end) => name.endsWith(end));

/** The paths of all resources of the providers in a namespace. */
async function collectionsOf(client: KubeClient, namespace: string): Promise<ApiPath[]> {
  const { groups = [] } = (await client.get<Groups>(apiPath`/apis`)) ?? {};
  const discovery = discover(client);
  const served = await Promise.all(groups.filter(isProvider).map(({ name }) => discovery.group(name)));
  return served
    .flat()
    .flatMap(({ apiVersion, resources }) => resources.map((one) => objectPath(apiVersion, one, namespace, null)));
}

/** The providers' resources of an object's release, by helm's mark on them: what the object's own status says does not count. */
async function resourcesOf(client: KubeClient, { metadata }: KubernetesObject): Promise<Resource[]> {
  const release = metadata.labels?.[LABEL.releaseName];
  if (release === undefined) return [];
  const collections = await collectionsOf(client, metadata.namespace ?? "default");
  const lists = await Promise.all(collections.map((path) => listObjects(client, path)));
  return lists.flatMap(({ items }) => items.filter((item) => item.metadata.annotations?.[RELEASE] === release));
}

/** The problem of the resources of a run that ended so; null for none. A machine that is stopped does not run. */
function wrongEnd(outcome: string, found: readonly Resource[]): string | null {
  if (outcome === "Deleted") return found.length === 0 ? null : `${String(found.length)} resources are left`;
  const running = found.filter((one) => MACHINE.test(one.kind) && machineOver(one) === null);
  return running.length === 0 ? null : `${running.map(({ kind }) => kind).join(", ")} still runs`;
}

interface EventList {
  items: { reason: string; involvedObject: { uid?: string } }[];
}

/** The reasons of the object's Events. */
async function reasonsOf(client: KubeClient, { metadata }: KubernetesObject): Promise<ReadonlySet<string>> {
  const path = apiPath`/api/v1/namespaces/${metadata.namespace ?? "default"}/events`;
  const { items = [] } = (await client.get<EventList>(path)) ?? {};
  return new Set(items.flatMap((one) => (one.involvedObject.uid === metadata.uid ? [one.reason] : [])));
}

/** The reasons among these that the object has no Event of; null if it has all. */
async function missingEvents(
  client: KubeClient,
  object: KubernetesObject,
  reasons: readonly string[],
): Promise<string | null> {
  const own = await reasonsOf(client, object);
  const missing = reasons.filter((reason) => !own.has(reason));
  return missing.length === 0 ? null : `no Event ${missing.join(", ")}`;
}

/** Events of errors that a provider has. */
const ALARMS = ["ProviderRetrying", "ProviderCapacity", "ProviderTerminal"];

/** The problem of a healthy installation that is over: an Event of an error that no provider had; null for none. */
export async function falseAlarm(client: KubeClient, object: KubernetesObject): Promise<string | null> {
  const own = await reasonsOf(client, object);
  const found = ALARMS.filter((reason) => own.has(reason));
  return found.length === 0 ? null : `an Event ${found.join(", ")} without an error`;
}

/** Seconds for a machine to stop, and for Events: both happen a moment after the status. */
const PATIENCE = { stop: 15, events: 5 };

/** The problem of the end of an object's run that is over by its status; null for none. */
export async function checkEnd(
  client: KubeClient,
  object: KubernetesObject,
  { outcome, events }: { outcome: string; events: readonly string[] },
  patience = PATIENCE,
): Promise<string | null> {
  const seconds = outcome === "Deleted" ? 0 : patience.stop;
  const wrong = await untilNull(seconds, async () => wrongEnd(outcome, await resourcesOf(client, object)), EVERY_MS);
  return wrong ?? untilNull(patience.events, () => missingEvents(client, object, events), EVERY_MS);
}
