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

/** A tenant with a client that has all rights. */
export interface TenantCluster {
  tenant: Tenant;
  admin: KubeClient & TextClient;
  close(): Promise<void>;
}

/** `createTenant` for a namespace with these annotations, such as quotas, which only an administrator may set. */
export async function openTenant(
  kubeconfig: string,
  namespace: string,
  annotations: Readonly<Record<string, string>>,
): Promise<TenantCluster> {
  const admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  const tenant = await createTenant(kubeconfig, namespace);
  await admin.patch(`/api/v1/namespaces/${namespace}`, "merge", { metadata: { annotations } });
  const close = async (): Promise<void> => {
    await tenant.close();
    await admin.close();
  };
  return { tenant, admin, close };
}
