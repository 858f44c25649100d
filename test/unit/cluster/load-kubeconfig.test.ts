import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { kubeconfigFile, loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-access-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function kubeconfig(user: object, cluster: object = {}, context: object = {}): Promise<string> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  const config = {
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u", ...context } }],
    clusters: [{ name: "c", cluster: { server: "https://api.test:6443/", ...cluster } }],
    users: [{ name: "u", user }],
  };
  await writeFile(file, stringify(config));
  return file;
}

describe("a kubeconfig", () => {
  it("reads certificates from the kubeconfig or from files next to it", async () => {
    await writeFile(join(folder, "ca.pem"), "CA");
    const user = { "client-certificate-data": base64("CERT"), "client-key-data": base64("KEY") };
    const config = await loadKubeconfig(await kubeconfig(user, { "certificate-authority": "ca.pem" }), {});
    expect(config.server).toBe("https://api.test:6443");
    expect(config.tls).toEqual({ ca: "CA", cert: "CERT", key: "KEY" });
    expect(await config.headers()).toEqual({});
    expect(config.namespace).toBe("default");
  });

  it("sends tokens and passwords as headers, and reads a token file each time", async () => {
    const token = await loadKubeconfig(await kubeconfig({ token: "abc" }, {}, { namespace: "team" }), {});
    expect(await token.headers()).toEqual({ authorization: "Bearer abc" });
    expect(token.namespace).toBe("team");
    const basic = await loadKubeconfig(await kubeconfig({ username: "ann", password: "x" }), {});
    expect(await basic.headers()).toEqual({ authorization: `Basic ${base64("ann:x")}` });
    const file = join(folder, "token");
    await writeFile(file, "first\n");
    const rotating = await loadKubeconfig(await kubeconfig({ tokenFile: "token" }), {});
    expect(await rotating.headers()).toEqual({ authorization: "Bearer first" });
    await writeFile(file, "second\n");
    expect(await rotating.headers()).toEqual({ authorization: "Bearer second" });
  });

  it.each([
    ["the file that is asked for", "/a", { KUBECONFIG: "/b" }, "/a"],
    ["the first file of KUBECONFIG", undefined, { KUBECONFIG: ":/b:/c", HOME: "/home/ann" }, "/b"],
    ["the file in the user's folder", undefined, { HOME: "/home/ann" }, "/home/ann/.kube/config"],
    [
      "none in a Pod",
      undefined,
      { KUBERNETES_SERVICE_HOST: "h", KUBERNETES_SERVICE_PORT: "1", KUBECONFIG: "/b" },
      null,
    ],
    ["none without a folder", undefined, {}, null],
  ])("names %s", (_, asked, env, file) => {
    expect(kubeconfigFile(asked, env)).toBe(file);
  });

  it("skips TLS verification if configured, and uses KUBECONFIG", async () => {
    const file = await kubeconfig({}, { "insecure-skip-tls-verify": true, "tls-server-name": "kubernetes" });
    const config = await loadKubeconfig(undefined, { KUBECONFIG: `:${file}` });
    expect(config.tls).toEqual({ rejectUnauthorized: false, servername: "kubernetes" });
  });

  it.each([
    ["a file that is not there", () => Promise.resolve(join(folder, "none"))],
    ["a file that is no YAML", async () => (await writeFile(join(folder, "x"), "a: [b"), join(folder, "x"))],
    ["a list", async () => (await writeFile(join(folder, "y"), "- a"), join(folder, "y"))],
    ["a context of an unknown cluster", () => kubeconfig({}, {}, { cluster: "other" })],
    ["a cluster without a server", () => kubeconfig({}, { server: "" })],
  ])("refuses %s with CLUSTER_CONFIG", async (_what, make) => {
    await expect(loadKubeconfig(await make(), {})).rejects.toMatchObject({ code: "CLUSTER_CONFIG" });
  });

  it("reports a missing configuration", async () => {
    await expect(loadKubeconfig(undefined, {})).rejects.toMatchObject({ code: "CLUSTER_CONFIG" });
  });
});
