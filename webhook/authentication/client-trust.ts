import { readFile } from "node:fs/promises";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { LandfallError } from "../../src/errors.ts";

type TrustFlags = Pick<WebhookFlags, "door" | "clientCa" | "clientName">;

/**
 * The CA and the common name of the API server's certificate; empty where none is expected. Throws ADM_DOOR for one without the
 * other, and where the door needs both.
 */
export async function readClientTrust({ door, clientCa, clientName }: TrustFlags) {
  if (clientCa !== undefined && clientName !== undefined)
    return { clientCa: await readFile(clientCa, "utf8"), clientName };
  if (door === "client-certificate")
    throw new LandfallError("ADM_DOOR", { door, detail: "needs --client-ca and --client-name" });
  if (clientCa !== undefined || clientName !== undefined)
    throw new LandfallError("ADM_DOOR", { door, detail: "has --client-ca or --client-name without the other" });
  return { clientCa: "", clientName: "" };
}
