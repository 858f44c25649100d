import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { apiPath, below, versionPath } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover } from "../../cluster/discover.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { COMPOSITION_GROUP, type Kind, KINDS, PLURAL } from "../../model/names.ts";
import type { Form } from "../contract/trying.ts";
import { formSchema } from "./form-schema.ts";

type Node = Record<string, unknown>;

const RELEASE: Readonly<Record<Kind, Node>> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };

/** Null if the user is not allowed to read it, or it does not exist. */
const nullIfHidden = (thrown: unknown): null => {
  if (hasStatus(thrown, 403) || hasStatus(thrown, 404)) return null;
  throw thrown;
};

/** The schema of the chart, which the controller keeps next to the chart's definition. */
async function chartSchema(
  client: KubeClient,
  { kind, version, namespaces }: { kind: Kind; version: string; namespaces: readonly string[] },
): Promise<Node | null> {
  for (const namespace of namespaces) {
    const name = `${PLURAL[kind]}-${version}-jsonschema-configmap`;
    const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${name}`;
    const found = await client.get<Resource>(path).catch(nullIfHidden);
    const text = found?.data?.["values.schema.json"];
    const schema: unknown = typeof text === "string" ? JSON.parse(text) : null;
    if (isObject(schema)) return schema;
  }
  return null;
}

const inside = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((found, key) => (isObject(found) ? found[key] : undefined), value);

/** The schema of `spec` as the API server publishes it, which every user can read. */
async function publishedSchema(client: KubeClient, apiVersion: string, kind: Kind): Promise<Node | null> {
  const path = below(apiPath`/openapi/v3`, ...versionPath(apiVersion).split("/").filter(Boolean));
  const found = await client.get<unknown>(path).catch(nullIfHidden);
  const schemas = inside(found, "components", "schemas");
  const own = Object.entries(isObject(schemas) ? schemas : {}).find(([name]) => name.endsWith(`.${kind}`));
  const spec = inside(own?.[1], "properties", "spec");
  return isObject(spec) ? spec : null;
}

/**
 * The newest version of each kind that the cluster serves, with the schema that a form is made of. `namespaces`: where the definitions
 * of the charts may stand.
 */
export async function readForms(client: KubeClient, namespaces: readonly string[]): Promise<Form[]> {
  const groups = await discover(client).group(COMPOSITION_GROUP);
  const forms = KINDS.map(async (kind): Promise<Form[]> => {
    const apiVersion = groups.find(({ resources }) => resources.some((one) => one.kind === kind))?.apiVersion;
    if (apiVersion === undefined) return [];
    const version = apiVersion.split("/")[1] ?? "";
    const chart = await chartSchema(client, { kind, version, namespaces });
    const served = chart ?? (await publishedSchema(client, apiVersion, kind));
    const schema = served === null ? RELEASE[kind] : formSchema(served, RELEASE[kind], chart !== null);
    const from = chart !== null ? "chart" : served !== null ? "cluster" : "release";
    return [{ kind, apiVersion, from, schema: JSON.stringify(schema) }];
  });
  return (await Promise.all(forms)).flat();
}
