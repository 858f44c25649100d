import type { Command } from "commander";
import { pushBundle } from "../../../bundle/push-bundle.ts";
import type { Cli } from "../../cli.ts";
import { type RegistryFlags, registryOf, withRegistryOptions } from "../../registry-options.ts";

async function push(cli: Cli, file: string, ref: string, flags: RegistryFlags): Promise<void> {
  const pushed = await pushBundle({ ...(await registryOf(cli, flags)), file, ref });
  cli.write(`${pushed.ref}\n`);
}

/** `landfall bundle push`: a tarball to a registry, as an image that `opa run` pulls too. */
export function addPush(bundle: Command, cli: Cli): void {
  withRegistryOptions(
    bundle
      .command("push")
      .description("Push a tarball to a registry and print its reference by digest.")
      .argument("<file>", "tarball of `landfall bundle build`")
      .argument("<ref>", "host[:port]/repository:tag"),
  ).action((file: string, ref: string, flags: RegistryFlags) => push(cli, file, ref, flags));
}
