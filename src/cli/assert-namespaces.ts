import { InvalidArgumentError } from "commander";
import { apiPath } from "../cluster/api-path.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { LandfallError } from "../errors.ts";
import { NAMESPACE_NAME } from "../model/names.ts";
import type { Cli } from "./cli.ts";

/** An option's value that is the name of a namespace. Throws what commander tells. */
export function namespaceName(text: string): string {
  if (NAMESPACE_NAME.test(text)) return text;
  throw new InvalidArgumentError("expected the name of a namespace.");
}

/** Whether there is a namespace of this name; null if it cannot be read, for want of a right or of an answer. */
async function isThere(client: Pick<KubeClient, "get">, name: string): Promise<boolean | null> {
  try {
    return (await client.get(apiPath`/api/v1/namespaces/${name}`)) !== null;
  } catch {
    // An emergency does not wait for a busy API server.
    return null;
  }
}

/** A misspelt name would leave admission on where it is needed off. Throws CLI_NAMESPACE if there is none of a name. */
export async function assertNamespaces(
  cli: Pick<Cli, "note">,
  client: Pick<KubeClient, "get">,
  names: readonly string[],
): Promise<void> {
  const found = await Promise.all(names.map(async (name) => ({ name, there: await isThere(client, name) })));
  const listed = (there: boolean | null): string =>
    found
      .filter((one) => one.there === there)
      .map(({ name }) => name)
      .join(", ");
  if (listed(false) !== "") throw new LandfallError("CLI_NAMESPACE", { names: listed(false) });
  if (listed(null) === "") return;
  cli.note(`namespaces could not be read: whether ${listed(null)} exists is not checked, so compare the spelling\n`);
}
