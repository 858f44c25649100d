import { LandfallError, messageOf } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { runProgram } from "../run-program.ts";
import { craneOptions } from "./crane-options.ts";
import type { Reference } from "./parse-reference.ts";
import type { RegistryOptions } from "./registry-options.ts";

/** A credential helper or a token endpoint that does not end must not stop polling. */
const CRANE_MS = 60_000;
/** Tokens and passwords are much shorter. */
const CRANE_BYTES = 1024 * 1024;

async function ask(reference: Reference, args: string[], options: RegistryOptions): Promise<string> {
  const { crane } = options;
  const ref = `${reference.host}/${reference.repository}`;
  const detail = "it wants credentials";
  if (crane === undefined)
    throw new LandfallError("BUNDLE_REGISTRY_AUTH", {
      ref,
      detail: `${detail}, and there is no crane to look them up`,
    });
  const { flags, env } = craneOptions(reference.host, options);
  const limits = { timeoutMs: options.craneTimeoutMs ?? CRANE_MS, maxBytes: CRANE_BYTES };
  const { code, stdout, stderr } = await runProgram(crane, [...args, ...flags], { env, ...limits });
  if (code !== 0) throw new LandfallError("BUNDLE_REGISTRY_AUTH", { ref, detail: `${detail}: ${stderr.trim()}` });
  return stdout.toString("utf8").trim();
}

function basic(answer: string, ref: string): string {
  try {
    const value: unknown = JSON.parse(answer);
    if (isObject(value)) {
      const { Username: user, Secret: secret } = value;
      return `Basic ${Buffer.from(`${textOf(user)}:${textOf(secret)}`).toString("base64")}`;
    }
  } catch (thrown) {
    throw new LandfallError("BUNDLE_REGISTRY_AUTH", { ref, detail: messageOf(thrown) }, thrown);
  }
  throw new LandfallError("BUNDLE_REGISTRY_AUTH", {
    ref,
    detail: "the docker configuration has no credentials for it",
  });
}

/**
 * The Authorization header for a registry's challenge: a token that crane fetches, or user and password from the docker
 * configuration. Throws BUNDLE_REGISTRY_AUTH.
 */
export async function authorize(reference: Reference, challenge: string, options: RegistryOptions): Promise<string> {
  const { host, repository } = reference;
  if (!/^bearer/i.test(challenge)) return basic(await ask(reference, ["auth", "get", host], options), host);
  const header = await ask(reference, ["auth", "token", "-H", `${host}/${repository}`], options);
  return header.replace(/^Authorization: /i, "");
}
