import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ApiPath } from "../../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { openConnections } from "../../../../src/cluster/client/open-connections.ts";
import { openIdentities } from "../../../../src/composition/identity/open-identities.ts";

const FINALIZER = "landfall.dev/compositions";
const config = { server: "http://127.0.0.1:9", tls: {}, headers: () => Promise.resolve({}), namespace: "default" };
const connections = openConnections(config);

let finalizers: string[];
let onGet: () => Promise<unknown>;

/** A cluster with the identity of the namespace `team`, whose RoleBinding has `finalizers`. */
function openTeam() {
  const roleRef = { kind: "ClusterRole", name: "landfall-charts" };
  const subject = { kind: "ServiceAccount", name: "landfall-tenant-team", namespace: "landfall-system" };
  const accounts = {
    kind: "ServiceAccountList",
    metadata: {},
    items: [{ metadata: { name: "landfall-tenant-team" } }],
  };
  const client = {
    create: () => Promise.resolve({}),
    get: async (path: ApiPath) => {
      if (path.endsWith("/serviceaccounts")) return accounts;
      await onGet();
      return { metadata: { name: "landfall-charts", finalizers: [...finalizers] }, roleRef, subjects: [subject] };
    },
    patch: (_path: unknown, _type: unknown, patch: { metadata: { finalizers: string[] } }) => {
      ({ finalizers } = patch.metadata);
      return Promise.resolve({});
    },
  } as unknown as KubeClient;
  return openIdentities({ config, connections, client, systemNamespace: "landfall-system" });
}

beforeEach(() => {
  vi.useFakeTimers();
  finalizers = [];
  onGet = () => Promise.resolve();
});
afterEach(() => {
  vi.useRealTimers();
});

it("keeps the binding of a namespace whose first object the cache does not show yet, and lets it go later", async () => {
  const identities = openTeam();
  await identities.ensure("team", 0);
  expect(finalizers).toEqual([FINALIZER]);
  await identities.release(() => false);
  expect(finalizers).toEqual([FINALIZER]);
  vi.advanceTimersByTime(11_000);
  await identities.release(() => true);
  expect(finalizers).toEqual([FINALIZER]);
  await identities.release(() => false);
  expect(finalizers).toEqual([]);
});

it("keeps the binding that is asked for while the sweep reads it", async () => {
  finalizers = [FINALIZER];
  const identities = openTeam();
  onGet = async () => {
    onGet = () => Promise.resolve();
    await identities.ensure("team", 0);
  };
  await identities.release(() => false);
  expect(finalizers).toEqual([FINALIZER]);
});

it("checks a binding again that was let go, however new the last check is", async () => {
  const identities = openTeam();
  await identities.ensure("team", 60_000);
  vi.advanceTimersByTime(11_000);
  await identities.release(() => false);
  expect(finalizers).toEqual([]);
  await identities.ensure("team", 60_000);
  expect(finalizers).toEqual([FINALIZER]);
});
