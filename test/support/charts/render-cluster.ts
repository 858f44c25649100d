import { fileURLToPath } from "node:url";
import { type Manifest, renderVm } from "./render-vm.ts";

export const CHART = fileURLToPath(new URL("../../../charts/kaas-cluster", import.meta.url));

/** The real helm's output of the KaasCluster chart with these values, as release `web`. */
export const renderCluster = (values: Record<string, unknown>): Promise<Manifest[]> => renderVm(values, CHART);
