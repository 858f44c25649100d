import { fileURLToPath } from "node:url";
import { type Manifest, renderVm } from "./render-vm.ts";

export const CHART = fileURLToPath(new URL("../../charts/kaas-cluster", import.meta.url));

/** What the real helm makes of the chart of KaasCluster with these values, as release `web`. */
export const renderCluster = (values: Record<string, unknown>): Promise<Manifest[]> => renderVm(values, CHART);
