import type { KubeClient } from "../../cluster/client/create-client.ts";
import { LandfallError } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import {
  COUNTERFACTUAL,
  EXPLANATION,
  OBJECT,
  OBJECT_PARAMS,
  type ObjectReport,
  PLACE_PARAMS,
} from "../contract/object.ts";
import { RESOURCES } from "../contract/resources.ts";
import type { Of } from "../contract/schema.ts";
import { STARTS } from "../contract/timeline.ts";
import { verdictKey, type Verdicts } from "../objects/read-verdicts.ts";
import { askNamespace, readNamespace } from "../objects/read-namespace.ts";
import { servedKinds } from "../objects/served-kinds.ts";
import { readResources } from "../resources/read-resources.ts";
import { objectReport } from "../report/object-report.ts";
import type { Explaining } from "../trying/explain-apart.ts";
import type { ConsoleApp } from "./console-app.ts";
import { leftBy } from "./left-by.ts";

export interface ObjectSource {
  client: KubeClient;
  explaining: Explaining;
  verdicts: (namespace: string | null) => Promise<Verdicts | null>;
  signature: (object: Resource) => Promise<ObjectReport["signature"]>;
  nowSeconds: () => number;
}

type Named = Of<typeof OBJECT_PARAMS>;

/** The object that an address names. Throws CONSOLE_ABSENT, REL_API…. */
async function readObject(client: KubeClient, { kind, namespace, name }: Named): Promise<Resource> {
  const pathOf = (await servedKinds(client)).get(kind);
  const found = pathOf === undefined ? null : await client.get<Resource>(pathOf(namespace, name));
  if (found === null) throw new LandfallError("CONSOLE_ABSENT", { what: `${kind} ${namespace}/${name}` });
  return found;
}

/** One object, the explanation of its decision, its other starts, and what would have to change for another place. */
export function addObjectRoutes(app: ConsoleApp, source: ObjectSource): void {
  const { client, explaining } = source;
  const path = "/api/objects/:kind/:namespace/:name";

  app.get(path, { schema: { params: OBJECT_PARAMS, response: { 200: OBJECT } } }, async ({ params }) => {
    const object = await readObject(client, params);
    const [signature, verdicts] = await Promise.all([
      source.signature(object),
      source.verdicts(params.namespace).catch(() => null),
    ]);
    const verdict = verdicts?.get(verdictKey(params)) ?? null;
    return objectReport(object, { verdict, signature, nowSeconds: source.nowSeconds() });
  });

  app.get(
    `${path}/resources`,
    { schema: { params: OBJECT_PARAMS, response: { 200: RESOURCES } } },
    async ({ params }, reply) => readResources({ client, signal: leftBy(reply) }, await readObject(client, params)),
  );

  app.get(
    `${path}/explanation`,
    { schema: { params: OBJECT_PARAMS, response: { 200: EXPLANATION } } },
    async ({ params }, reply) => {
      const { data, readable } = await askNamespace(client, params.namespace);
      const object = await readObject(client, params);
      return { ...(await explaining.explain(object, data, leftBy(reply))), readable };
    },
  );

  app.get(
    `${path}/starts`,
    { schema: { params: OBJECT_PARAMS, response: { 200: STARTS } } },
    async ({ params }, reply) => {
      const [left, object] = [leftBy(reply), await readObject(client, params)];
      const namespace = await readNamespace(client, params.namespace);
      return explaining.starts(object, namespace, left);
    },
  );

  app.get(
    `${path}/places/:provider/:region`,
    { schema: { params: PLACE_PARAMS, response: { 200: COUNTERFACTUAL } } },
    async ({ params }, reply) => {
      const object = await readObject(client, params);
      const namespace = await readNamespace(client, params.namespace);
      const place = `${params.provider}/${params.region}` as const;
      return explaining.whatIf(object, namespace, place, leftBy(reply));
    },
  );
}
