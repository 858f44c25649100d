import { expect, inject, vi } from "vitest";
import type { ApiPath } from "../../../src/cluster/api-path.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { readReleaseMark } from "../../../src/model/decision-annotation/system-secrets.ts";
import { openTenant } from "./tenant.ts";

const LIMIT = { timeout: 40_000, interval: 250 };
const COMPOSITION = "composition.krateo.io/v0-2-0";
const REFUSES = "test.example/provider-refuses";
const ALLOW = { metadata: { annotations: { "landfall.dev/allow-move": "true" } } };

type Kind = "VmTemplate" | "KaasCluster";

/** One namespace of a tenant with a quota of so many vCPU, and what runs and counts in it. */
export async function openCounted(namespace: string, vcpus: string, kubeconfig = inject("cluster").kubeconfig) {
  const cluster = await openTenant(kubeconfig, namespace, { "landfall.dev/quota-vcpus": vcpus });
  const { client } = cluster.tenant;
  const path = (kind: Kind, name = ""): ApiPath =>
    `/apis/${COMPOSITION}/namespaces/${namespace}/${kind.toLowerCase()}s${name && `/${name}`}` as ApiPath;
  const get = (kind: Kind, name: string): Promise<Resource | null> => client.get<Resource>(path(kind, name));
  const create = (kind: Kind, name: string, spec: object, metadata: object = {}): Promise<Resource> =>
    client.create<Resource>(path(kind), { apiVersion: COMPOSITION, kind, metadata: { name, ...metadata }, spec });
  const change = (kind: Kind, name: string, patch: object): Promise<Resource> =>
    client.patch<Resource>(path(kind, name), "merge", patch);
  /** Tries again where the controller changed the object meanwhile. */
  const retry = <T>(ask: () => Promise<T>): Promise<T> => vi.waitFor(ask, LIMIT);
  const move = (name: string, place: object): Promise<Resource> =>
    change("VmTemplate", name, {
      ...ALLOW,
      spec: { instanceType: null, image: null, zone: null, network: null, ...place },
    });
  /** Pauses it, and then says in its status that nothing is installed. */
  async function clearStatus(kind: Kind, name: string): Promise<void> {
    await retry(() => change(kind, name, { metadata: { annotations: { "krateo.io/paused": "true" } } }));
    await retry(async () => expect(JSON.stringify((await get(kind, name))?.status)).toContain("Paused"));
    await client.patch(`${path(kind, name)}/status` as ApiPath, "merge", { status: { managed: null } });
  }
  /** Where the operator's objects of a kind are. */
  async function collection(group: string, plural: string): Promise<ApiPath> {
    const about = await cluster.admin.get<{ preferredVersion: { version: string } }>(`/apis/${group}` as ApiPath);
    return `/apis/${group}/${about?.preferredVersion.version ?? ""}/namespaces/${namespace}/${plural}` as ApiPath;
  }
  const names = async (of: ApiPath): Promise<string[]> =>
    ((await client.get<{ items: Resource[] }>(of))?.items ?? []).map(({ metadata }) => metadata.name ?? "");
  /** Their provider refuses to delete them from now on. */
  async function lock(of: ApiPath): Promise<void> {
    for (const name of await names(of)) {
      const one = `${of}/${name}` as ApiPath;
      const finalizers = [...((await client.get<Resource>(one))?.metadata.finalizers ?? []), REFUSES];
      await client.patch(one, "merge", { metadata: { finalizers } });
    }
  }
  const says = (kind: Kind, name: string, text: string): Promise<void> =>
    retry(async () => expect(JSON.stringify((await get(kind, name))?.status?.["conditions"])).toContain(text));
  const ready = (kind: Kind, name: string): Promise<void> =>
    retry(async () =>
      expect((await get(kind, name))?.status?.["conditions"]).toContainEqual(
        expect.objectContaining({ type: "Ready", status: "True" }),
      ),
    );
  /** vCPU by place, as Landfall recorded for all releases of this namespace. */
  async function recorded(): Promise<Record<string, number>> {
    const list = await cluster.admin.get<{ items: Resource[] }>("/api/v1/namespaces/landfall-system/secrets");
    const marks = (list?.items ?? []).map(readReleaseMark).filter((mark) => mark?.namespace === namespace);
    const sizes = marks.flatMap((mark) => mark?.running ?? []);
    return Object.fromEntries(sizes.map(({ place, vcpus: counted }) => [place, counted]));
  }
  const remove = async (kind: Kind, name: string): Promise<void> => {
    await client.remove(path(kind, name));
    await retry(async () => expect(await get(kind, name)).toBeNull());
  };
  return {
    ...{ cluster, path, get, create, change, retry, move, clearStatus, collection, names, lock, says, ready, recorded },
    remove,
  };
}
