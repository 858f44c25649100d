import { toError, LandfallError } from "../../errors.ts";
import type { ElementoApi } from "../api/elemento-api.ts";
import { failureClass } from "../api/failure-class.ts";
import { attemptKey, begun, over } from "../step/pending.ts";
import type { Create, Saying } from "../step/step.ts";
import type { Attempts, ElementoObject, VmSpec, SecretRef } from "../types.ts";
import type { Item, OperatorContext } from "./context.ts";
import { notReady, saveStatus } from "./save-status.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { readSecret } from "./read-secret.ts";

async function valueOf(
  client: KubeClient,
  { metadata }: ElementoObject<VmSpec>,
  { name, key }: Required<SecretRef>,
): Promise<string> {
  const namespace = metadata.namespace ?? "";
  const data = await readSecret(client, { namespace, name });
  const value = data?.[key];
  if (value !== undefined) return value;
  const detail = data === null ? "does not exist" : `has no key ${key}`;
  const object = `${namespace}/${metadata.name ?? ""}`;
  throw new LandfallError("ELEMENTO_SECRET", { secret: `${namespace}/${name}`, object, detail });
}

/** The user data for cloud-init. A secret: never in a log or a status. Throws ELEMENTO_SECRET. */
export async function readUserData(client: KubeClient, object: ElementoObject<VmSpec>): Promise<string> {
  const { userData, userDataSecret, authentication } = object.spec;
  if (userData !== undefined) return userData;
  if (userDataSecret) return valueOf(client, object, { key: "userData", ...userDataSecret });
  if (!authentication) return "#cloud-config\n{}\n";
  const { username: name, passwordSecret } = authentication;
  const password = await valueOf(client, object, { key: "password", ...passwordSecret });
  const login = { name, groups: "sudo", shell: "/bin/bash", lock_passwd: false, plain_text_passwd: password };
  // JSON is valid YAML, with all quoting.
  return `#cloud-config\n${JSON.stringify({ users: ["default", login], ssh_pwauth: true })}\n`;
}

async function create(context: OperatorContext, { account, object }: Item, thing: Create): Promise<unknown> {
  const { api }: { api: ElementoApi } = account;
  switch (thing.what) {
    case "network":
      return api.createNetwork(thing.request);
    case "volume":
      return api.createVolume(thing.request);
    case "image":
      return api.createImageVolume(thing.request);
    case "cloud-init": {
      const userData = await readUserData(context.client, object as unknown as ElementoObject<VmSpec>);
      return api.createCloudInit({ ...thing.request, userData });
    }
    case "machine":
      return api.registerVm(thing.request);
    case "cluster":
      return api.createCluster(thing.request);
  }
}

/** Whether Elemento certainly created nothing. */
const isRefused = (thrown: unknown): boolean => ["terminal", "capacity"].includes(failureClass(thrown));

/**
 * Creates resources concurrently. First it records the attempts in the status, in a write that fails after a concurrent
 * change: after a crash, the next reconcile knows that the resources may exist, and waits until lists must show them.
 */
export async function createThings(
  context: OperatorContext,
  item: Item,
  { things, say, attempts }: { things: readonly Create[]; say: Saying; attempts: Attempts },
): Promise<void> {
  const keys = things.map(({ what, request }) => attemptKey(what, request.name));
  const tried = { ...attempts, ...Object.fromEntries(keys.map((key) => [key, begun(context.nowMs())])) };
  await saveStatus(context, item, { attempts: tried }, [notReady(item.object, say)]);
  const results = await Promise.allSettled(things.map((thing) => create(context, item, thing)));
  const after = keys.flatMap((key, index) => {
    const result = results[index];
    return result?.status === "rejected" && isRefused(result.reason) ? [] : [[key, over(context.nowMs())] as const];
  });
  await saveStatus(context, item, { attempts: { ...attempts, ...Object.fromEntries(after) } });
  const failed = results.flatMap((result) => (result.status === "rejected" ? [toError(result.reason)] : []));
  const worst = failed.find(isRefused) ?? failed[0];
  if (worst) throw worst;
}
