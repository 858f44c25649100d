import { expect, it } from "vitest";
import { FINALIZER } from "../../../../src/elemento/kinds.ts";
import { isNamespacesName, isOwnName, lastTag, sharedName, tagOf } from "../../../../src/elemento/own-name.ts";
import { type Border, checkIds, ownersOf } from "../../../../src/elemento/step/check-border.ts";
import { nextNetworkStep } from "../../../../src/elemento/step/next-network-step.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { sha256 } from "../../../../src/model/sha256.ts";
import { at, catalog, network, NOW, UID } from "../../../unit/elemento/samples.ts";

/** The first hexadecimal digits of what a name at Elemento records of a namespace. */
const recorded = (namespace: string, digits: number): string => sha256(`namespace/${namespace}`).slice(0, digits);

/** A namespace that has the same first digits as another one, as it is found by trying names. */
function namesake(of: string, digits: number): string {
  const wanted = recorded(of, digits);
  for (let at = 0; ; at += 1) if (recorded(`team-${String(at)}`, digits) === wanted) return `team-${String(at)}`;
}

/** What checks an id that an object of this namespace names, in an account that namespaces share. */
const borderOf = (namespace: string, name: string, live: Resource[] = []): Border => ({
  ...{ namespace, uid: "other", tenant: { existing: [], addresses: 1024 } },
  ...{ networks: [network("n1", name)], volumes: [], owners: ownersOf(live), pending: new Map(), nowMs: NOW },
});

it("425: a name records 80 bits of its namespace, and its own object by its end", () => {
  const name = sharedName("data", { namespace: "bank", uid: UID });
  expect(name).toBe(`data-${recorded("bank", 20)}${tagOf(UID)}`);
  expect(isNamespacesName(name, "bank")).toBe(true);
  expect([isOwnName(name, UID), lastTag(name)]).toEqual([true, tagOf(UID)]);
  const long = sharedName("x".repeat(80), { namespace: "bank", uid: UID });
  expect([long.length, isNamespacesName(long, "bank"), isOwnName(long, UID)]).toEqual([63, true, true]);
});

it("425: the first digits of another namespace's record are not enough", () => {
  const other = namesake("bank", 3);
  const name = sharedName("data", { namespace: "bank", uid: UID });
  expect(isNamespacesName(name, other)).toBe(false);
  expect(() => checkIds(["n1"], borderOf("bank", name))).not.toThrow();
  expect(() => checkIds(["n1"], borderOf(other, name))).toThrow(expect.objectContaining({ code: "ELEMENTO_FOREIGN" }));
});

it("425: a name with ten digits of its namespace is the namespace's only while its object is there", () => {
  const old = `data-${recorded("bank", 10)}${tagOf(UID)}`;
  const object = { apiVersion: "", kind: "", metadata: { namespace: "bank", uid: UID } };
  expect(() => checkIds(["n1"], borderOf("bank", old, [object]))).not.toThrow();
  expect(() => checkIds(["n1"], borderOf("bank", old))).toThrow(expect.objectContaining({ code: "ELEMENTO_FOREIGN" }));
});

it("425: an object finds the network that it made under a name with ten digits", () => {
  const old = `data-${recorded("demo", 10)}${tagOf(UID)}`;
  const spec = {
    name: "data",
    provider: "ovh",
    cidr: "10.130.0.0/24",
    private: true,
    deletionPolicy: "delete" as const,
  };
  const metadata = { name: "data", namespace: "demo", uid: UID, finalizers: [FINALIZER] };
  const world = { networks: [network("n1", old)], listedAt: NOW, startedAt: NOW - 3_600_000, catalog };
  const status = { id: "n1", attempts: { [`network/${old}`]: at(-500) } };
  const { step, seen } = nextNetworkStep(
    { ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoNetwork" }, metadata, spec, status },
    world,
  );
  expect(seen).toMatchObject({ id: "n1" });
  expect(step).toMatchObject({ do: "rest", drift: [] });
});
