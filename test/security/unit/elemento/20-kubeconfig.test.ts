import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { issueAuthority } from "../../../../src/certificates/issue-certificate.ts";
import { answering } from "../../../unit/elemento/answering.ts";

let pem: string;
beforeAll(async () => {
  pem = Buffer.from((await issueAuthority("test CA")).certificate.toString("pem")).toString("base64");
});

interface Parts {
  cluster?: object;
  user?: object;
  top?: object;
}

const kubeconfig = ({ cluster = {}, user = { token: "t0ken" }, top = {} }: Parts): string =>
  stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "prod" },
    clusters: [{ name: "c", cluster: { server: "https://c.example:6443", ...cluster } }],
    users: [
      { name: "u", user },
      { name: "other", user: { exec: { command: "sh" } } },
    ],
    contexts: [{ name: "prod", context: { cluster: "c", user: "u", namespace: "x" } }],
    ...top,
  });

/** What the client makes of an API that answers this. */
async function read(text: string): Promise<string | null> {
  const service = await answering(200, text);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service.api.readKubeconfig("c1");
}

describe("20: the kubeconfig of an Elemento API", () => {
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", "id"] };

  it.each<[string, Parts, string]>([
    ["runs a program", { user: { token: "t", exec } }, "field exec"],
    ["runs a program of an earlier kubectl", { user: { "auth-provider": { name: "x" } } }, "field auth-provider"],
    ["reads a token from a file", { user: { tokenFile: "/home/me/.ssh/id_rsa" } }, "field tokenFile"],
    [
      "reads a certificate from a file",
      { user: { token: "t", "client-certificate": "/x" } },
      "field client-certificate",
    ],
    ["reads a key from a file", { user: { token: "t", "client-key": "/x" } }, "field client-key"],
    ["reads a CA from a file", { cluster: { "certificate-authority": "/etc/passwd" } }, "certificate-authority"],
    ["uses a proxy", { cluster: { "proxy-url": "http://evil.example" } }, "field proxy-url"],
    ["does not verify TLS", { cluster: { "insecure-skip-tls-verify": true } }, "insecure-skip-tls-verify"],
    ["speaks without TLS", { cluster: { server: "http://c.example" } }, "field server"],
    ["has a CA that is no PEM", { cluster: { "certificate-authority-data": "AAAA" } }, "certificate-authority-data"],
    ["has a token with a line feed", { user: { token: "a\nb" } }, "field token"],
    ["has a context with a control character", { top: { "current-context": "a\u001b[2J" } }, "current-context"],
    ["has no credentials", { user: { username: "me", password: "secret-9" } }, "neither a token"],
  ])("is refused if it %s", async (_, parts, detail) => {
    const failed = read(kubeconfig(parts));
    await expect(failed).rejects.toMatchObject({ code: "ELEMENTO_KUBECONFIG" });
    await expect(failed).rejects.toThrow(detail);
    await expect(failed).rejects.not.toThrow("secret-9");
  });

  it.each([
    ["a page", "<html>"],
    ["broken YAML", "[1, 2"],
    ["an object without contexts", "x: 1"],
    ["too long", `x: ${"a".repeat(300_000)}`],
  ])("is refused if it is %s", async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: "ELEMENTO_KUBECONFIG" });
  });

  it("keeps server, CA, token and client certificate of the current context, and nothing else", async () => {
    const kept = {
      cluster: { server: "https://c.example:6443", "certificate-authority-data": pem, "tls-server-name": "c.example" },
      user: { token: "t0ken", "client-certificate-data": pem, "client-key-data": pem },
    };
    const text = await read(
      kubeconfig({
        cluster: { ...kept.cluster, extensions: [{ name: "x" }], "insecure-skip-tls-verify": false },
        user: { ...kept.user, as: "root", extensions: [] },
        top: { preferences: { colors: true } },
      }),
    );
    expect(parse(text ?? "")).toEqual({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "prod" },
      clusters: [{ name: "prod", cluster: kept.cluster }],
      users: [{ name: "prod", user: kept.user }],
      contexts: [{ name: "prod", context: { cluster: "prod", user: "prod" } }],
    });
  });
});
