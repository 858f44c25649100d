// Which CA may verify the API server's client certificate.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueAuthority, issueClient } from "../../../src/certificates/issue-certificate.ts";
import { readClientTrust } from "../../../webhook/authentication/client-trust.ts";

let folder: string;
let ca: string;
let leaf: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-client-trust-"));
  const authority = await issueAuthority("webhook clients");
  ca = authority.certificate.toString("pem");
  leaf = (await issueClient(authority, { commonName: "kube-apiserver" })).certificate;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(text: string | null) {
  const clientCa = join(folder, "ca.crt");
  await rm(clientCa, { force: true });
  if (text !== null) await writeFile(clientCa, text);
  return readClientTrust({ door: "client-certificate", clientCa, clientName: "kube-apiserver" });
}

describe("the CA of the API server's certificate", () => {
  it("is taken, alone or with others", async () => {
    expect(await read(ca)).toEqual({ clientCa: ca, clientName: "kube-apiserver" });
    const both = `${ca}\n${(await issueAuthority("next")).certificate.toString("pem")}`;
    expect((await read(both)).clientCa).toBe(both);
  });

  it.each<[string, () => string | null, string]>([
    ["the client's own certificate", () => leaf, "the certificate of CN=kube-apiserver is of no CA"],
    ["the CA and the client's certificate", () => `${ca}\n${leaf}`, "CN=kube-apiserver is of no CA"],
    ["no certificate", () => "hello", "it holds no certificate"],
    [
      "a damaged one",
      () => "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
      "cannot verify the API server's certificate",
    ],
    ["no file", () => null, "no such file"],
  ])("is refused at the start: %s", async (_, text, detail) => {
    await expect(read(text())).rejects.toMatchObject({
      code: "ADM_CLIENT_CA",
      message: expect.stringContaining(detail) as string,
    });
  });
});
