import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, request } from "undici";
import { issueAuthority, issueServer } from "../src/certificates/issue-certificate.ts";
import { freePorts } from "../src/local/processes/free-ports.ts";
import { launch } from "../src/local/processes/launch.ts";
import { projectPath } from "../src/local/processes/project-path.ts";
import type { ControlPlane } from "../src/local/control-plane/start-control-plane.ts";
import { readTar } from "../src/model/bundle-format/tar.ts";

interface Certificate {
  certificate: string;
  key: string;
}

async function writeCertificate(folder: string): Promise<Certificate> {
  const authority = await issueAuthority("landfall bench");
  const pair = await issueServer(authority, "localhost", [{ type: "ip", value: "127.0.0.1" }]);
  await mkdir(folder, { recursive: true });
  const files = { certificate: join(folder, "server.crt"), key: join(folder, "server.key") };
  await writeFile(files.certificate, pair.certificate);
  await writeFile(files.key, pair.key, { mode: 0o600 });
  return files;
}

/**
 * The bundle as a folder that OPA's server evaluates with its interpreter, as its released binaries do: the same data,
 * and the policies before `opa build` moved the entrypoint into the module.
 */
async function unpackBundle(file: string, folder: string): Promise<void> {
  const files = readTar(await readFile(file));
  const manifest = JSON.parse(files.get(".manifest")?.toString("utf8") ?? "{}") as Record<string, unknown>;
  const { revision, roots, rego_version } = manifest;
  const isPolicy = (path: string): boolean => !/\.[a-z]+$/.test(path) || /(?<!_test)\.rego$/.test(path);
  await cp(projectPath("policies/bundle"), folder, { recursive: true, filter: isPolicy });
  await writeFile(join(folder, "data.json"), files.get("data.json") ?? "{}");
  await writeFile(join(folder, ".manifest"), JSON.stringify({ revision, roots, rego_version }));
}

async function answers(url: string): Promise<boolean> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const answer = await request(url, { dispatcher });
  await answer.body.dump();
  await dispatcher.close();
  return answer.statusCode === 200;
}

/**
 * Starts an OPA server with the webhook's bundle, and the echo server; both over TLS 1.3, stopped with the control
 * plane.
 */
export async function startPeers(plane: ControlPlane): Promise<{ opa: string; echo: string }> {
  const { stage } = plane;
  const folder = stage.paths.data("bench");
  const [opaPort = 0, echoPort = 0] = await freePorts(2);
  const files = await writeCertificate(folder);
  await unpackBundle(stage.paths.bundle, join(folder, "bundle"));
  const opa = `https://127.0.0.1:${opaPort}`;
  const echo = `https://127.0.0.1:${echoPort}`;
  const opaArgs = ["run", "--server", "--bundle", join(folder, "bundle"), "--addr", `127.0.0.1:${opaPort}`];
  const opaTls = [
    "--tls-cert-file",
    files.certificate,
    "--tls-private-key-file",
    files.key,
    "--min-tls-version",
    "1.3",
  ];
  await Promise.all([
    launch(stage, {
      name: "opa",
      command: await plane.tool("opa"),
      args: [...opaArgs, ...opaTls, "--log-level", "error", "--skip-version-check"],
      layer: 2,
      ready: () => answers(`${opa}/health`),
    }),
    launch(stage, {
      name: "echo",
      command: process.execPath,
      args: [
        ...[projectPath("bench/echo.ts"), "--port", String(echoPort)],
        ...["--certificate", files.certificate, "--key", files.key],
      ],
      layer: 2,
      ready: () => answers(`${echo}/`),
    }),
  ]);
  return { opa, echo };
}
