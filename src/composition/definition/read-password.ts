import { LandfallError } from "../../errors.ts";
import { apiPath } from "../../cluster/api-path.ts";
import { assertPasswordHost } from "../chart/fetch-chart.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { ChartTrust } from "../chart/chart-trust.ts";
import type { ChartReference, CompositionDefinition } from "../types.ts";

/**
 * The password of a chart's repository; null for none. Only the definition's own namespace is read, and only for hosts that get
 * passwords: anyone who writes a definition could have any other Secret sent to any host. Throws REL_CHART_UNREADABLE, REL_CHART_HOST.
 */
export async function readPassword(
  { clientIn, trust }: Pick<CompositionContext, "clientIn"> & { trust: ChartTrust },
  definition: CompositionDefinition,
  reference: ChartReference,
): Promise<string | null> {
  if (!reference.credentials) return null;
  const { namespace, name, key } = reference.credentials.passwordRef;
  if (namespace !== definition.metadata.namespace) {
    const elsewhere = `passwordRef names namespace ${namespace}, which is not the definition's own`;
    throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail: elsewhere });
  }
  assertPasswordHost(reference, trust);
  const client = await clientIn(namespace);
  const path = apiPath`/api/v1/namespaces/${namespace}/secrets/${name}`;
  const secret = await client.get<{ data?: Record<string, string> }>(path);
  const value = secret?.data?.[key];
  if (value !== undefined) return Buffer.from(value, "base64").toString();
  const detail = `Secret ${namespace}/${name} has no key ${key}`;
  throw new LandfallError("REL_CHART_UNREADABLE", { chart: reference.url, detail });
}
