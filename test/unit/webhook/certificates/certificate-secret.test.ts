import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { openCertificateSecret } from "../../../../webhook/certificates/certificate-secret.ts";
import { makeServingCertificate } from "../../../../webhook/certificates/serving-certificate.ts";
import { secretStore } from "../../../support/composition/secret-store.ts";

const DAY_MS = 24 * 3600 * 1000;
const NAME = "landfall-webhook.landfall-system.svc";
const PATH = "/api/v1/namespaces/landfall-system/secrets/tls";

type Store = ReturnType<typeof secretStore>;

interface Choices {
  daysLater?: number;
  names?: string[];
  onRestored?: (detail: string) => void;
}

const replica = ({ client }: Store, { daysLater = 0, names = [NAME], onRestored = () => undefined }: Choices = {}) =>
  openCertificateSecret({
    onRestored,
    ...{ client, namespace: "landfall-system", name: "tls", names },
    nowMs: () => Date.now() + daysLater * DAY_MS,
  });

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function edit({ objects }: Store, data: Record<string, string>): void {
  const stored = objects.get(PATH) as Resource;
  objects.set(PATH, { ...stored, data: { ...stored.data, ...data } });
}

describe("the Secret of the webhook's certificate", () => {
  it("gives all replicas and later starts the same CA and certificate", async () => {
    const store = secretStore();
    const [one, two] = await Promise.all([replica(store).read(), replica(store).read()]);
    expect(two).toEqual(one);
    expect(await replica(store).read()).toEqual(one);
    const leaf = new X509Certificate(one.cert);
    expect(leaf.verify(new X509Certificate(one.ca).publicKey)).toBe(true);
    expect(leaf.checkHost(NAME)).toBe(NAME);
    expect(store.objects.get(PATH)).toMatchObject({ type: "kubernetes.io/tls" });
  });

  it("is renewed after two months with the same CA, once for all replicas", async () => {
    const store = secretStore();
    const first = await replica(store).read();
    expect(await replica(store, { daysLater: 59 }).read()).toEqual(first);
    const [one, two] = await Promise.all(["a", "b"].map(() => replica(store, { daysLater: 61 }).read()));
    const stored = await replica(store, { daysLater: 61 }).read();
    expect(stored.ca).toBe(first.ca);
    expect(stored.cert).not.toBe(first.cert);
    expect([one?.cert, two?.cert]).toContain(stored.cert);
    expect([one?.ca, two?.ca]).toEqual([first.ca, first.ca]);
    expect(new X509Certificate(stored.cert).verify(new X509Certificate(first.ca).publicKey)).toBe(true);
  });

  it("is put back with the same CA when somebody deletes it", async () => {
    const store = secretStore();
    const running = replica(store);
    const before = await running.read();
    store.objects.delete(PATH);
    expect(await running.read()).toEqual(before);
    expect(await replica(store).read()).toEqual(before);
  });

  it.each<[string, (store: Store) => Promise<void> | void, RegExp]>([
    [
      "another CA",
      async (store) => edit(store, { "ca.crt": base64((await makeServingCertificate([NAME])).ca) }),
      /no certificate in ca.crt has signed tls.crt/,
    ],
    ["no data", (store) => edit(store, { "tls.crt": "", "tls.key": "", "ca.crt": "" }), /cannot be used: /],
    ["a text for the CA", (store) => edit(store, { "ca.crt": base64("no") }), /cannot be used: /],
    ["neither a certificate nor the CA's key", (store) => edit(store, { "tls.crt": "", "ca.key": "" }), /be used: /],
    [
      "texts for the certificate and the CA's key",
      (store) => edit(store, { "tls.crt": base64("no"), "ca.key": base64("no") }),
      /be used: /,
    ],
  ])(
    "with %s is refused with where it is and what to restore, and is used again when that was done",
    async (_, damage, message) => {
      const store = secretStore();
      const { ca } = await replica(store).read();
      const { data = {} } = structuredClone(store.objects.get(PATH) as Resource);
      await damage(store);
      const refused = replica(store).read();
      await expect(refused).rejects.toMatchObject({ code: "ADM_TLS", line: expect.stringMatching(message) as string });
      await expect(refused).rejects.toMatchObject({
        line: expect.stringContaining("Secret landfall-system/tls") as string,
      });
      await expect(refused).rejects.toMatchObject({
        line: expect.stringContaining("ca.crt and ca.key are enough") as string,
      });
      edit(store, { "ca.crt": String(data["ca.crt"]), "ca.key": String(data["ca.key"]) });
      expect((await replica(store).read()).ca).toBe(ca);
      // Or the Secret is deleted.
      await damage(store);
      store.objects.delete(PATH);
      expect((await replica(store).read()).ca).not.toBe(ca);
    },
  );

  it.each<[string, (store: Store) => Promise<void> | void]>([
    ["a text instead of a certificate", (store) => edit(store, { "tls.crt": base64("no") })],
    ["no certificate", (store) => edit(store, { "tls.crt": "", "tls.key": "" })],
    ["another key", async (store) => edit(store, { "tls.key": base64((await makeServingCertificate([NAME])).key) })],
  ])("with %s, while no replica runs, gets another one of the same CA, and that is told", async (_, damage) => {
    const store = secretStore();
    const { ca, cert } = await replica(store).read();
    await damage(store);
    const told: string[] = [];
    const next = replica(store, { onRestored: (detail) => told.push(detail) });
    const restored = await next.read();
    expect(restored.ca).toBe(ca);
    expect(restored.cert).not.toBe(cert);
    expect(new X509Certificate(restored.cert).verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(await replica(store).read()).toEqual(restored);
    expect(told).toEqual([expect.stringContaining("Secret landfall-system/tls cannot be used")]);
  });

  it("with an expired certificate, or one for another name, gets a new one of the same CA", async () => {
    const store = secretStore();
    const { ca } = await replica(store).read();
    const late = await replica(store, { daysLater: 100 }).read();
    const other = await replica(store, { names: ["landfall-webhook.other.svc"] }).read();
    expect([late.ca, other.ca]).toEqual([ca, ca]);
    expect(new X509Certificate(late.cert).validToDate.getTime()).toBeGreaterThan(Date.now() + 100 * DAY_MS);
    expect(new X509Certificate(other.cert).checkHost("landfall-webhook.other.svc")).toBeDefined();
  });

  it("without the CA's key is refused when its certificate is for another name, and replaced when it expired", async () => {
    const store = secretStore();
    const { ca } = await replica(store).read();
    edit(store, { "ca.key": "" });
    await expect(replica(store, { names: ["landfall-webhook.other.svc"] }).read()).rejects.toMatchObject({
      code: "ADM_TLS",
      line: expect.stringContaining("is not for landfall-webhook.other.svc") as string,
    });
    expect((await replica(store, { daysLater: 100 }).read()).ca).not.toBe(ca);
  });

  it("whose CA expired while nothing ran gets a new CA", async () => {
    const store = secretStore();
    const { ca } = await replica(store).read();
    const later = await replica(store, { daysLater: 1100 }).read();
    expect(later.ca).not.toBe(ca);
    expect(new X509Certificate(later.ca).validToDate.getTime()).toBeGreaterThan(Date.now() + 2000 * DAY_MS);
  });

  it("is issued by the API server's time, not by the clock of one replica", async () => {
    const store = secretStore();
    const { cert } = await replica(store, { daysLater: -3000 }).read();
    expect(new X509Certificate(cert).validFromDate.getTime()).toBeLessThan(Date.now() - 2999 * DAY_MS);
  });
});
