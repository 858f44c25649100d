import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import type { Cli } from "../../../src/cli/cli.ts";
import { addCertificates } from "../../../src/cli/commands/certificates/certificates.ts";
import { ROTATE_CA } from "../../../src/model/names.ts";
import { startJsonService } from "../../support/services/json-service.ts";

interface Run {
  /** What the API server got: method, path, media type and body. */
  calls: unknown[][];
  output: string;
}

/** `landfall certificates` with these arguments, for a cluster whose API server answers with this status. */
async function certificates(status: number, ...args: string[]): Promise<Run> {
  const calls: unknown[][] = [];
  const service = await startJsonService(({ url, method, headers, body }) => {
    calls.push([method, url.pathname, headers["content-type"], JSON.parse(body)]);
    return { status, body: status === 200 ? {} : { kind: "Status", message: `status ${String(status)}` } };
  });
  const folder = await mkdtemp(join(tmpdir(), "landfall-certificates-"));
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const kubeconfig = join(folder, "kubeconfig");
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "test" },
    clusters: [{ name: "test", cluster: { server: service.url } }],
    users: [{ name: "test", user: { token: "t" } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  };
  await writeFile(kubeconfig, stringify(config));
  let output = "";
  const write = (text: string): void => {
    output += text;
  };
  const program = new Command("landfall").exitOverride().configureOutput({ writeErr: () => undefined });
  addCertificates(program, { env: {}, write } as unknown as Cli);
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(["node", "landfall", "certificates", ...args, "--kubeconfig", kubeconfig]);
  return { calls, output };
}

const asked = (reason: string): object => ({ metadata: { annotations: { [ROTATE_CA]: reason } } });

it("landfall certificates rotate asks for a new CA, with the reason, at the Secret of the chart", async () => {
  const { calls, output } = await certificates(200, "rotate", "--reason", "the key was in a backup");
  const path = "/api/v1/namespaces/landfall-system/secrets/landfall-webhook-tls";
  expect(calls).toEqual([["PATCH", path, "application/merge-patch+json", asked("the key was in a backup")]]);
  expect(output).toContain("asked for a new CA at Secret landfall-system/landfall-webhook-tls");
  expect(output).toContain("landfall doctor");
});

it("asks at another Secret and in another namespace", async () => {
  const { calls } = await certificates(
    ...([200, "rotate", "--reason", "x", "--secret", "other-tls", "--system-namespace", "platform"] as const),
  );
  expect(calls[0]?.[1]).toBe("/api/v1/namespaces/platform/secrets/other-tls");
});

it("says what to name where there is no such Secret, and passes on what else the API server refuses", async () => {
  await expect(certificates(404, "rotate", "--reason", "x")).rejects.toMatchObject({
    code: "CLI_CERTIFICATE_NONE",
    params: { where: "landfall-system/landfall-webhook-tls" },
  });
  await expect(certificates(403, "rotate", "--reason", "x")).rejects.toThrow("status 403");
});

it.each([[["rotate"]], [["rotate", "--reason", ""]]])("wants a reason: %j", async (args) => {
  await expect(certificates(200, ...args)).rejects.toBeInstanceOf(CommanderError);
});
