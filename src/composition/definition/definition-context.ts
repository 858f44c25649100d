import type { Logger } from "pino";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { EventRecorder } from "../../cluster/create-event-recorder.ts";
import type { ChartRegistry } from "../../model/chart-registry.ts";
import type { ChartTrust } from "../chart/chart-trust.ts";
import type { Pins } from "../chart/open-pins.ts";
import type { Helm } from "../helm/run-helm.ts";

/** The parts that serving definitions needs. */
export interface DefinitionContext {
  client: KubeClient;
  /** A client with the rights of one namespace: the password of a chart repository is read with it. */
  clientIn: (namespace: string) => Promise<KubeClient>;
  helm: Pick<Helm, "binary" | "env">;
  record: EventRecorder;
  pins: Pins;
  registry: ChartRegistry;
  trust: ChartTrust;
  log: Logger;
  nowSeconds: () => number;
  /** The folder in which charts are unpacked. */
  chartDirectory: string;
}
