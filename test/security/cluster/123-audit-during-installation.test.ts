import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { listUnmanaged } from "../../../src/audit/list-unmanaged.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Workload } from "../../../src/model/workload.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";
import { nowSeconds } from "../../../src/model/time.ts";

const NAMESPACE = "audited-123";
const NETWORKS = `/apis/elemento.landfall.dev/v1alpha1/namespaces/${NAMESPACE}/elementonetworks`;
let admin: KubeClient & TextClient;

/** A VmTemplate whose release is being installed: its status lists nothing yet. */
const installing = {
  kind: "VmTemplate",
  metadata: { name: "web", namespace: NAMESPACE, labels: { "krateo.io/release-name": "web-12345678" } },
  spec: {},
} as unknown as Workload;

const now = nowSeconds;

const create = (name: string, annotations: Record<string, string>): Promise<unknown> =>
  admin.create(NETWORKS, {
    ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoNetwork", metadata: { name, annotations } },
    spec: { name: "net", provider: "ovh", cidr: "10.0.0.0/24" },
  });

async function listed(objects: readonly Workload[], readAt: number): Promise<string[]> {
  const found = await listUnmanaged(admin, objects, readAt);
  return found.flatMap(({ namespace, name }) => (namespace === NAMESPACE ? [name] : []));
}

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  const metadata = { name: NAMESPACE };
  await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  const marks = (release: string) => ({
    "meta.helm.sh/release-name": release,
    "meta.helm.sh/release-namespace": NAMESPACE,
  });
  await create("installed", marks("web-12345678"));
  await create("other", marks("other-12345678"));
  await create("plain", {});
});
afterAll(() => admin.close());

describe("123: the audit during an installation", () => {
  it("lists what no object installs, and not what an object is installing", async () => {
    expect(await listed([installing], now() + 1)).toEqual(["other", "plain"]);
  });

  it("lists what has Helm's marks for longer than an installation takes", async () => {
    expect(await listed([installing], now() + 3600)).toEqual(["installed", "other", "plain"]);
  });

  it("does not list what was created after the objects were read", async () => {
    expect(await listed([], now() - 60)).toEqual([]);
  });
});
