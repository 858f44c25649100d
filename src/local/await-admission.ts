import { isObject } from "../model/json.ts";
import { ANNOTATION, COMPOSITION_GROUP } from "../model/names.ts";
import type { Api } from "./connect-api.ts";
import { waitUntil } from "./wait-until.ts";

function isDecided(body: Record<string, unknown>): boolean {
  const metadata = body["metadata"];
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  return isObject(annotations) && ANNOTATION.decision in annotations;
}

/**
 * Waits until the API server sends VmTemplates to the webhook: it learns of a new registration a moment after it is
 * written, and an object applied before would be left undecided. Asks by dry runs. Errors: LOCAL_NOT_READY.
 */
export async function awaitAdmission(api: Api, version: string, log: string): Promise<void> {
  const apiVersion = `${COMPOSITION_GROUP}/${version}`;
  const metadata = { name: "landfall-probe", namespace: "default" };
  const body = { apiVersion, kind: "VmTemplate", metadata, spec: { cpu: 1, memory: 1 } };
  const path = `/apis/${apiVersion}/namespaces/default/vmtemplates?dryRun=All`;
  await waitUntil({ what: "admission of VmTemplates", seconds: 60, log }, async () => {
    const answer = await api.request(path, { method: "POST", body });
    return answer.status < 300 && isDecided(answer.body);
  });
}
