import { vi } from "vitest";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { textClient, type TextClient } from "../text-client.ts";

const RBAC = "rbac.authorization.k8s.io";

/** A namespace, and somebody who may do everything in it. */
export interface Tenant {
  namespace: string;
  /** With the tenant's rights. */
  client: KubeClient & TextClient;
  close(): Promise<void>;
}

/** Creates a namespace whose user may do everything in it, also what no role of Kubernetes gives, and nothing elsewhere. */
export async function createTenant(kubeconfig: string, namespace: string): Promise<Tenant> {
  const config = await loadKubeconfig(kubeconfig, {});
  const admin = textClient(createClient(config));
  const user = `admin-of-${namespace}`;
  await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const roles = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  const metadata = { name: "owner", namespace };
  await admin.create(`${roles}/roles`, { apiVersion: `${RBAC}/v1`, kind: "Role", metadata, rules });
  await admin.create(`${roles}/rolebindings`, {
    ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata },
    roleRef: { apiGroup: RBAC, kind: "Role", name: "owner" },
    subjects: [{ apiGroup: RBAC, kind: "User", name: user }],
  });
  await admin.close();
  const client = createClient(actAs(config, user));
  const tenant = { namespace, client: textClient(client), close: () => client.close() };
  await vi.waitFor(() => tenant.client.get<Resource>(`/api/v1/namespaces/${namespace}/secrets`), 5000);
  return tenant;
}
