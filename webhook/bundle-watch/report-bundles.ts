import { apiPath, below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { createOnce } from "../../src/cluster/create-once.ts";
import {
  type ActiveBundle,
  type BundleReport,
  readBundleReport,
  REPORT_KEY,
} from "../../src/model/bundle-format/bundle-report.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { BUNDLES_CONFIGMAP, PART_OF_LANDFALL } from "../../src/model/names.ts";
import type { BundleStatus } from "./bundle-status.ts";

/** The part of a status about the bundles that decide, and those that are not used. Pure. */
export function reportOf(ref: string, { active, others, quarantined }: BundleStatus): BundleReport {
  const own: ActiveBundle[] =
    active === null
      ? []
      : [
          {
            ...{ bundle: "", digest: active.digest, content: active.bundle.digest },
            ...{ revision: active.bundle.revision, signers: active.signers, at: active.at },
          },
        ];
  const beside = Object.entries(others).flatMap(([bundle, { active: used }]): ActiveBundle[] => {
    if (used === null) return [];
    const { digest, signers, at } = used;
    return [{ bundle, digest, content: used.bundle.digest, revision: used.bundle.revision, signers, at }];
  });
  const refused = [...quarantined, ...Object.values(others).flatMap((other) => other.quarantined)];
  return {
    follows: ref,
    active: [...own, ...beside],
    quarantined: refused.map(({ digest, code, reason, at }) => ({ digest, code, reason, at })),
  };
}

/** A bundle that was active before stays so since then: a restart loads it again. Pure. */
function withEarlierTimes(report: BundleReport, before: BundleReport | null): BundleReport {
  const active = report.active.map((one) => {
    const same = before?.active.find(({ bundle, digest }) => bundle === one.bundle && digest === one.digest);
    return same === undefined || same.at === "" ? one : { ...one, at: same.at };
  });
  return { ...report, active };
}

interface ReportOptions {
  client: KubeClient;
  namespace: string;
  onFailure: (thrown: unknown) => void;
  /** Ms until a report that could not be written is tried again. */
  againMs?: number;
}

export interface BundleReporter {
  /** Writes what `report` then gives, soon, and again until it is written. */
  write(report: () => BundleReport): void;
  stop(): void;
}

const AGAIN_MS = 30_000;

/** Keeps the report in a ConfigMap. Replicas follow the same references: the last one that saw a change writes it. */
export function reportBundles({ client, namespace, onFailure, againMs = AGAIN_MS }: ReportOptions): BundleReporter {
  const collection = apiPath`/api/v1/namespaces/${namespace}/configmaps`;
  const path = below(collection, BUNDLES_CONFIGMAP);
  let wanted: (() => BundleReport) | null = null;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  async function writeOnce(report: () => BundleReport): Promise<void> {
    const present = await client.get<Resource>(path);
    const before = present?.data?.[REPORT_KEY];
    const data = { [REPORT_KEY]: JSON.stringify(withEarlierTimes(report(), readBundleReport(before))) };
    if (data[REPORT_KEY] === before) return;
    const metadata = { name: BUNDLES_CONFIGMAP, namespace, labels: PART_OF_LANDFALL };
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    if (present !== null || !(await createOnce(client, collection, configMap)))
      await client.patch(path, "merge", { data });
  }

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = wanted; next !== null; next = wanted) {
        wanted = null;
        try {
          await writeOnce(next);
        } catch (thrown) {
          wanted ??= next;
          throw thrown;
        }
      }
    } catch (thrown) {
      onFailure(thrown);
      clearTimeout(timer);
      timer = setTimeout(() => void work(), againMs).unref();
    } finally {
      isBusy = false;
    }
  }

  return {
    write(report) {
      wanted = report;
      void work();
    },
    stop() {
      wanted = null;
      clearTimeout(timer);
    },
  };
}
