import { below } from "../../cluster/api-path.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { LandfallError } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { OWNER_LABEL } from "../kinds.ts";
import type { ElementoObject, KaasSpec } from "../types.ts";
import type { Item, OperatorContext } from "./context.ts";

function wantedSecret({ spec }: ElementoObject<KaasSpec>): { name: string; key: string } | null {
  return spec.kubeconfigSecret ?? null;
}

/** Whether the Secret with the kubeconfig exists, or is not requested. */
export async function hasKubeconfig(context: OperatorContext, object: ElementoObject<KaasSpec>): Promise<boolean> {
  const wanted = wantedSecret(object);
  if (wanted === null) return true;
  const secret = await context.client.get<Resource>(below(secretsPath(object.metadata.namespace ?? ""), wanted.name));
  const isOurs = secret?.metadata.labels?.[OWNER_LABEL] === object.metadata.uid;
  return isOurs && secret?.data?.[wanted.key] !== undefined;
}

/** Writes the kubeconfig into the Secret that the object names; never into another owner's Secret (ELEMENTO_SECRET). */
export async function writeKubeconfig(context: OperatorContext, item: Item, kubeconfig: string): Promise<void> {
  const object = item.object as unknown as ElementoObject<KaasSpec>;
  const wanted = wantedSecret(object);
  if (wanted === null) return;
  const { namespace = "", name = "", uid = "" } = object.metadata;
  const data = { [wanted.key]: Buffer.from(kubeconfig).toString("base64") };
  const owner = { apiVersion: object.apiVersion, kind: object.kind, name, uid, controller: true };
  const metadata = { name: wanted.name, namespace, labels: { [OWNER_LABEL]: uid }, ownerReferences: [owner] };
  const there = await context.client.get<Resource>(below(secretsPath(namespace), wanted.name));
  if (there === null) {
    const body = { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data };
    await context.client.create(secretsPath(namespace), body);
    return;
  }
  if (there.metadata.labels?.[OWNER_LABEL] !== uid) {
    const detail = "belongs to something else: the kubeconfig does not overwrite it";
    throw new LandfallError("ELEMENTO_SECRET", {
      ...{ secret: `${namespace}/${wanted.name}`, object: `${namespace}/${name}`, detail },
    });
  }
  await context.client.patch(below(secretsPath(namespace), wanted.name), "merge", { data });
}
