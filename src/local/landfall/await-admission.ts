import { ANNOTATION, COMPOSITION_GROUP } from "../../model/names.ts";
import type { KubeClient } from "../../cluster/create-client.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { waitUntil } from "../processes/wait-until.ts";

/**
 * Waits until the API server sends VmTemplates to the webhook: it learns of a new registration a moment after it is
 * written, and an object applied before would be left undecided. Asks by dry runs. Errors: LOCAL_NOT_READY.
 */
export async function awaitAdmission(client: KubeClient, version: string, log: string): Promise<void> {
  const apiVersion = `${COMPOSITION_GROUP}/${version}`;
  const metadata = { name: "landfall-probe", namespace: "default" };
  const body = { apiVersion, kind: "VmTemplate", metadata, spec: { cpu: 1, memory: 1 } };
  const path = `/apis/${apiVersion}/namespaces/default/vmtemplates?dryRun=All`;
  await waitUntil({ what: "admission of VmTemplates", seconds: 60, log }, async () => {
    const { metadata: created } = await client.create<KubernetesObject>(path, body);
    return ANNOTATION.decision in (created.annotations ?? {});
  });
}
