import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Cli } from "../../../src/cli/cli.ts";
import { addCertificates } from "../../../src/cli/commands/certificates/certificates.ts";
import { ROTATE_CA } from "../../../src/model/names.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { startJsonService } from "../../support/services/json-service.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

interface Run {
  /** What the API server got: method, path, media type and body. */
  calls: unknown[][];
  output: string;
}

/** What the API server has: the data of the Secret, and of the replicas' reports. */
interface Stored {
  secret?: Record<string, string>;
  reports?: Record<string, string>;
}

const certificates = (status: number, ...args: string[]): Promise<Run> => certificatesAt(status, {}, ...args);

/** `landfall certificates` with these arguments, for a cluster whose API server answers with this status. */
async function certificatesAt(status: number, stored: Stored, ...args: string[]): Promise<Run> {
  const calls: unknown[][] = [];
  const service = await startJsonService(({ url, method, headers, body }) => {
    if (method !== "GET") calls.push([method, url.pathname, headers["content-type"], JSON.parse(body)]);
    const data = url.pathname.includes("/configmaps/") ? stored.reports : stored.secret;
    return { status, body: status === 200 ? { data } : { kind: "Status", message: `status ${String(status)}` } };
  });
  const folder = await mkdtemp(join(tmpdir(), "landfall-certificates-"));
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText({ server: service.url }, { token: "t" }));
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

describe("landfall certificates rotate", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const report = (authorities: string, at = new Date().toISOString()): string =>
    JSON.stringify({ authorities, at, until: at });
  const asking = (secret: string, ...reports: string[]): Promise<Run> =>
    certificatesAt(
      200,
      { secret: { "ca.crt": base64(secret) }, reports: Object.fromEntries(Object.entries(reports)) },
      ...["rotate", "--reason", "x"],
    );

  it("refuses a Secret whose CA no running webhook uses: nobody would replace it", async () => {
    const [left, used] = [await makeServingCertificate(["a.svc"]), await makeServingCertificate(["a.svc"])];
    await expect(asking(left.ca, report(used.ca), report(used.ca))).rejects.toMatchObject({
      code: "CLI_CERTIFICATE_UNUSED",
      params: { where: "landfall-system/landfall-webhook-tls" },
    });
    expect((await asking(left.ca, report(used.ca), report(left.ca))).calls).toHaveLength(1);
  });

  it("asks where it is not known who uses the CA: of a damaged one, without reports, and with those of webhooks that are gone", async () => {
    const [left, used] = [await makeServingCertificate(["a.svc"]), await makeServingCertificate(["a.svc"])];
    expect((await asking("damaged", report(used.ca))).calls).toHaveLength(1);
    expect((await asking(left.ca)).calls).toHaveLength(1);
    expect((await asking(left.ca, report(used.ca, "2026-01-01T00:00:00Z"))).calls).toHaveLength(1);
  });
});

it.each([[["rotate"]], [["rotate", "--reason", ""]]])("wants a reason: %j", async (args) => {
  await expect(certificates(200, ...args)).rejects.toBeInstanceOf(CommanderError);
});
