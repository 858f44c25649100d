import { openRegistry } from "../../bundle/registry/open-registry.ts";
import type { Trust } from "../../bundle/signature/trust.ts";
import { type ControllerFlags, defaultNamespaces } from "../../flags/controller-options.ts";
import type { ChartTrust, VerifyChart } from "../chart/chart-trust.ts";

// Code that only some flags need is loaded for them alone: it would take a third of the start, and memory.

async function chartTrustIn(file: string): Promise<{ trust: Trust; signers: ReadonlySet<string> }> {
  const [{ readSettings }, { signerNames }] = await Promise.all([
    import("../../bundle/read-settings.ts"),
    import("../../bundle/signature/key-name.ts"),
  ]);
  const { trust } = await readSettings(file);
  return { trust, signers: signerNames(trust) };
}

function verifyWith(trust: Trust, { crane, ca }: ControllerFlags, own: NodeJS.ProcessEnv): VerifyChart {
  return async ({ ref, archive, login, plainHttp }) => {
    const env = login === null ? own : { ...own, DOCKER_CONFIG: login };
    const { verifyContent } = await import("../../bundle/verify-content.ts");
    const registry = await openRegistry({ crane, ca, plainHttp, env, likeGo: true });
    try {
      return await verifyContent(registry, ref, archive, trust);
    } finally {
      await registry.close();
    }
  };
}

/** Charts are verified as bundles are, by signers of their own. */
export async function openChartTrust(flags: ControllerFlags, env: NodeJS.ProcessEnv): Promise<ChartTrust> {
  const { chartSettings: file, definitionNamespaces, passwordHosts } = flags;
  const { trust, signers } =
    file === undefined ? { trust: null, signers: new Set<string>() } : await chartTrustIn(file);
  return {
    namespaces: definitionNamespaces ?? defaultNamespaces(flags),
    passwordHosts: passwordHosts.map((host) => host.toLowerCase()),
    verify: trust === null || trust.mode === "off" ? null : verifyWith(trust, flags, env),
    signers,
    signaturesRequired: trust?.mode === "required",
  };
}
