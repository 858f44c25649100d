import type { TextClient } from "../text-client.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1";
const HOOKS = [
  `${CONFIGURATIONS}/mutatingwebhookconfigurations/placement.landfall.dev`,
  `${CONFIGURATIONS}/validatingwebhookconfigurations/guard.landfall.dev`,
];

/** Has both webhooks leave out this namespace, and no other, until the webhook corrects it after some seconds. */
export async function leaveOut(admin: TextClient, namespace: string): Promise<void> {
  const matchExpressions = [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: [namespace] }];
  const exclude = { op: "replace", path: "/webhooks/0/namespaceSelector", value: { matchExpressions } };
  for (const hook of HOOKS) await admin.patch(hook, "json", [exclude]);
}
