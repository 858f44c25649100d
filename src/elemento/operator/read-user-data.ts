import type { KubeClient } from "../../cluster/create-client.ts";
import { LandfallError } from "../../errors.ts";
import type { ElementoObject, SecretRef, VmSpec } from "../types.ts";
import { readSecret } from "./read-secret.ts";

async function valueOf(
  client: KubeClient,
  { metadata }: ElementoObject<VmSpec>,
  { name, key }: Required<SecretRef>,
): Promise<string> {
  const namespace = metadata.namespace ?? "";
  const data = await readSecret(client, namespace, name);
  const value = data?.[key];
  if (value !== undefined) return value;
  const detail = data === null ? "does not exist" : `has no key ${key}`;
  const object = `${namespace}/${metadata.name ?? ""}`;
  throw new LandfallError("ELEMENTO_SECRET", { secret: `${namespace}/${name}`, object, detail });
}

/** What cloud-init is given beside the meta-data. A secret: in no log and no status. Throws ELEMENTO_SECRET. */
export async function readUserData(client: KubeClient, object: ElementoObject<VmSpec>): Promise<string> {
  const { userData, userDataSecret, authentication } = object.spec;
  if (userData !== undefined) return userData;
  if (userDataSecret) return valueOf(client, object, { key: "userData", ...userDataSecret });
  if (!authentication) return "#cloud-config\n{}\n";
  const { username: name, passwordSecret } = authentication;
  const password = await valueOf(client, object, { key: "password", ...passwordSecret });
  const login = { name, groups: "sudo", shell: "/bin/bash", lock_passwd: false, plain_text_passwd: password };
  // JSON is YAML, and quotes whatever needs it.
  return `#cloud-config\n${JSON.stringify({ users: ["default", login], ssh_pwauth: true })}\n`;
}
