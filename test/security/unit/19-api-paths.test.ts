import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { apiPath, below, parseApiPath, versionPath } from "../../../src/cluster/api-path.ts";
import { discover, objectPath } from "../../../src/cluster/discover.ts";
import { listReleases } from "../../../src/composition/helm/release-storage.ts";
import { readUserData } from "../../../src/elemento/operator/create-things.ts";
import type { ElementoObject, VmSpec } from "../../../src/elemento/types.ts";
import { type JsonService, startJsonService } from "../../support/services/json-service.ts";

const PASSWORD = Buffer.from("payroll-password").toString("base64");

let server: JsonService;
let client: KubeClient;

beforeAll(async () => {
  server = await startJsonService(({ url }) =>
    url.pathname === "/api/v1/namespaces/payroll/secrets/db"
      ? { status: 200, body: { data: { userData: PASSWORD, password: PASSWORD } } }
      : { status: 404, body: { message: "not found" } },
  );
  client = createClient({ server: server.url, tls: {}, headers: () => Promise.resolve({}), namespace: "tenant" });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const vm = (spec: object): ElementoObject<VmSpec> =>
  ({
    apiVersion: "elemento.landfall.dev/v1alpha1",
    kind: "ElementoVm",
    metadata: { name: "vm", namespace: "tenant" },
    spec,
  }) as unknown as ElementoObject<VmSpec>;

const FOREIGN = [
  "../../payroll/secrets/db",
  "x/../../../payroll/secrets/db",
  "..%2f..%2fpayroll%2fsecrets%2fdb",
  "..\\..\\payroll\\secrets\\db",
];

describe("19: a name in an object reaches no other object of the API server", () => {
  it.each(FOREIGN)("reads no Secret of another namespace by userDataSecret %s", async (name) => {
    const before = server.asked.length;
    await expect(readUserData(client, vm({ userDataSecret: { name } }))).rejects.toMatchObject({ code: "REL_PATH" });
    expect(server.asked.slice(before)).toEqual([]);
  });

  it.each(FOREIGN)("reads no Secret of another namespace by passwordSecret %s", async (name) => {
    const spec = { authentication: { username: "me", passwordSecret: { name } } };
    await expect(readUserData(client, vm(spec))).rejects.toMatchObject({ code: "REL_PATH" });
  });

  it("reads a Secret of the own namespace", async () => {
    const own = vm({ userDataSecret: { name: "db" } });
    own.metadata.namespace = "payroll";
    expect(await readUserData(client, own)).toBe("payroll-password");
  });

  it.each(["", ".", "..", "a/b", "/", "a\\b", "%2e%2e", "a\nb", "a\u0000b"])("takes %j for no segment", (segment) => {
    const thrown = expect.objectContaining({ code: "REL_PATH" }) as Error;
    expect(() => apiPath`/api/v1/namespaces/${segment}/secrets`).toThrow(thrown);
    expect(() => below(apiPath`/api/v1/namespaces`, segment)).toThrow(thrown);
    const kind = { kind: "Boat", name: "boats", namespaced: true };
    expect(() => objectPath("example.dev/v1", kind, segment, "a")).toThrow(thrown);
    expect(() => objectPath("example.dev/v1", kind, "demo", segment)).toThrow(thrown);
  });

  it.each(["a/b/c", "../v1", "/v1", "apps/", "apps/.."])("takes %j for no version of an API", (apiVersion) => {
    expect(() => versionPath(apiVersion)).toThrow(expect.objectContaining({ code: "REL_PATH" }) as Error);
  });

  it("encodes what is more than a name's characters", () => {
    expect(apiPath`/api/v1/secrets/${"a?watch=1#b c:d"}`).toBe("/api/v1/secrets/a%3Fwatch%3D1%23b%20c%3Ad");
  });

  it.each([
    "http://elsewhere/api/v1",
    "//elsewhere/api/v1",
    "/healthz",
    "/api/v1/namespaces/../secrets",
    "/api/v1//secrets",
    "/api",
  ])("reads %s as no stored path", (text) => {
    expect(parseApiPath(text)).toBeNull();
  });

  it("reads a stored path that it made", () => {
    const path = apiPath`/apis/${"example.dev"}/v1/namespaces/${"demo"}/boats/${"a"}`;
    expect(parseApiPath(path)).toBe(path);
  });

  it("adds no parameter by a value of a query", async () => {
    const before = server.asked.length;
    await listReleases(client, "tenant", ["landfall.dev/uid", "x&limit=1#"]);
    expect(server.asked.slice(before)).toEqual([
      "/api/v1/namespaces/tenant/secrets?labelSelector=owner%3Dhelm%2Clandfall.dev%2Fuid%3Dx%26limit%3D1%23&limit=5",
    ]);
  });

  it("looks up no group outside of /apis", async () => {
    const before = server.asked.length;
    await expect(discover(client).find("../api/v1", "Secret")).rejects.toMatchObject({ code: "REL_PATH" });
    expect(server.asked.slice(before)).toEqual([]);
  });

  it("takes no plain text for a path", async () => {
    const text: string = "/api/v1/secrets";
    // @ts-expect-error A text is not a path, so no caller can forget to encode a segment.
    expect(await client.get(text)).toBeNull();
    // @ts-expect-error Nor is a text made of a path.
    expect(await client.get(`${apiPath`/api/v1/secrets`}/${text}`)).toBeNull();
  });
});
