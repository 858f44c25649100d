import type { Logger } from "pino";
import { apiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import type { KubernetesObject, ObjectMeta } from "../../model/kubernetes.ts";
import type { CompositionDefinition, ServedChart } from "../types.ts";

const KEY = "values.schema.json";

interface Form extends KubernetesObject {
  metadata: ObjectMeta & { ownerReferences?: { uid: string }[] };
  data?: Record<string, string>;
}

async function write(
  client: KubeClient,
  definition: CompositionDefinition,
  { plural, version, chart }: ServedChart,
): Promise<void> {
  const { namespace = "", name: owner = "", uid = "" } = definition.metadata;
  const name = `${plural}-${version}-jsonschema-configmap`;
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${name}`;
  const text = JSON.stringify(chart.schema, null, 2);
  const existing = await client.get<Form>(path);
  // A form of an earlier definition of the name is deleted with it, so that this one has to own it.
  const isOwned = existing?.metadata.ownerReferences?.some((one) => one.uid === uid) === true;
  if (existing?.data?.[KEY] === text && isOwned) return;
  const reference = { apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition", name: owner, uid };
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ownerReferences: [reference] },
    data: { [KEY]: text },
  };
  await client.patch(path, "apply", body, { fieldManager: "landfall", force: true });
}

/**
 * Writes the ConfigMap from which Krateo's portal makes a form: `<plural>-<version>-jsonschema-configmap` in the definition's
 * namespace, as core-provider does. One with the same schema is left as it is. It is deleted with its definition. A failure
 * is logged: without the form, the chart is served.
 */
export async function writeFormSchema(
  { clientIn, log }: { clientIn: (namespace: string) => Promise<KubeClient>; log: Logger },
  definition: CompositionDefinition,
  served: ServedChart,
): Promise<void> {
  await clientIn(definition.metadata.namespace ?? "")
    .then((client) => write(client, definition, served))
    .catch((thrown: unknown) => {
      log.warn({ chart: served.chart.name, error: messageOf(thrown) }, "the schema for Krateo's portal is not written");
    });
}
