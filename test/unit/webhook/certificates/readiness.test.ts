// Readiness is trust: a replica answers /readyz only while every own webhook configuration names the CA of what it serves.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { readReport } from "../../../../src/model/replica-report.ts";
import { VERSION } from "../../../../src/model/names.ts";
import { joinAuthorities } from "../../../../webhook/certificates/authorities.ts";
import { keepCertificate } from "../../../../webhook/certificates/keep-certificate.ts";
import { makeServingCertificate } from "../../../../webhook/certificates/serving-certificate.ts";
import { CONFIGURATIONS, NAME, openReplicas, type Replicas } from "../../../support/certificates/replicas.ts";

const [own, other] = [await makeServingCertificate([NAME]), await makeServingCertificate([NAME])];
const NOT_NAMED = "the webhook configurations do not name the CA of its certificate";
const NOT_COMPARED = "its certificate was not compared with the webhook configurations yet";

function openOne() {
  const told: (string | null)[] = [];
  const certificate = keepCertificate({
    ...{ first: own, source: null, reports: null, registers: true, nowMs: Date.now, elapsedMs: () => 0 },
    onProblem: (problem) => void told.push(problem),
    onFailure: () => undefined,
  });
  return { certificate, told };
}

/** Somebody leaves only this CA in one configuration. */
function writeCa(world: Replicas, path: string, ca: string): void {
  const object = structuredClone(world.objects.get(path)) as Resource & { webhooks: { clientConfig: object }[] };
  for (const webhook of object.webhooks)
    webhook.clientConfig = { ...webhook.clientConfig, caBundle: Buffer.from(ca).toString("base64") };
  world.store(path, object);
}

describe("a replica is not ready", () => {
  it("before it has seen a configuration", () => {
    expect(openOne().certificate.problem()).toBe(NOT_COMPARED);
  });

  it.each([
    ["both name another CA", [other.ca, other.ca]],
    ["the first names another CA", [other.ca, own.ca]],
    ["the second names another CA", [own.ca, other.ca]],
    ["one names no CA", [own.ca, ""]],
  ])("while %s", (_, bundles) => {
    const { certificate, told } = openOne();
    certificate.compare(bundles);
    expect([certificate.problem(), told]).toEqual([NOT_NAMED, [NOT_NAMED]]);
    certificate.compare([own.ca, joinAuthorities(other.ca, own.ca)]);
    expect([certificate.problem(), told]).toEqual([null, [NOT_NAMED, null]]);
    certificate.compare(bundles);
    expect(certificate.problem()).toBe(NOT_NAMED);
  });

  it.each(CONFIGURATIONS)("when somebody takes its CA out of %s and it cannot put it back", async (path) => {
    const world = openReplicas();
    const source = { read: () => Promise.resolve(own) };
    let fails = false;
    const { client } = world;
    const [patch, replace] = [client.patch.bind(client), client.replace.bind(client)];
    const refused = (path: string): boolean => fails && path.includes("webhookconfigurations");
    const forbidden = () => Promise.reject(new ApiError(403, { action: "write", detail: "forbidden" }));
    Object.assign(client, {
      patch: (...args: Parameters<typeof patch>) => (refused(args[0]) ? forbidden() : patch(...args)),
      replace: (...args: Parameters<typeof replace>) => (refused(args[0]) ? forbidden() : replace(...args)),
    });
    const { certificate, look } = await world.start("a", { source });
    world.pass(20_000);
    await look();
    expect(certificate.problem()).toBeNull();
    fails = true;
    writeCa(world, path, other.ca);
    world.pass(5000);
    await expect(look()).rejects.toThrow("forbidden");
    expect(certificate.problem()).toBe(NOT_NAMED);
    fails = false;
    world.pass(5000);
    await look();
    expect(certificate.problem()).toBeNull();
  });

  it("whose first registration is refused, while the configurations name the CA of another installation", async () => {
    const { certificate } = openOne();
    const present = CONFIGURATIONS.map(() => other.ca);
    await certificate.look(present);
    expect(certificate.problem()).toBe(NOT_NAMED);
  });
});

it("a replica reports its version, its bundle and why it is not ready", async () => {
  const world = openReplicas();
  const { certificate, look } = await world.start("a", { source: { read: () => Promise.resolve(own) } });
  const reported = () => {
    const path = "/api/v1/namespaces/landfall-system/configmaps/landfall-webhook-replicas";
    return readReport((world.objects.get(path) as Resource).data?.["a"]);
  };
  expect(reported()).toMatchObject({ version: VERSION, bundle: "", problem: NOT_COMPARED });
  certificate.tell(() => ({ version: VERSION, bundle: "sha256:a", problem: "no bundle [BUNDLE_EXPIRED]" }));
  world.pass(5000);
  await look();
  expect(reported()).toMatchObject({ version: VERSION, bundle: "sha256:a", problem: "no bundle [BUNDLE_EXPIRED]" });
});
