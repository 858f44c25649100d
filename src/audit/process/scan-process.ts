// The entry of the process that scans: it runs the rules of bundles, so that neither loops nor memory of theirs reach the
// controller. It lives for one scan.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { verifySet } from "../../bundle/signature/verify-set.ts";
import { type Packed, unpacked } from "../../bundle/signature/packed-trust.ts";
import { asLandfallError } from "../../errors.ts";
import { createClusterData } from "../../external-data/cluster-data.ts";
import { fedZones } from "../../model/places/catalog.ts";
import type { Workload } from "../../model/workload.ts";
import { loadBundles } from "../../policy/load-bundles.ts";
import { PROGRESS_FILE, writeProgress } from "../../policy/process/progress.ts";
import type { Said } from "../../policy/process/watched-process.ts";
import { blameStrayErrors, teamNames, watchTeams } from "../../policy/process/watch-teams.ts";
import type { AuditContext } from "../audit-object.ts";
import { auditSafely } from "../audit-safely.ts";
import type { FromScan, ScanBundles, ToScan } from "./messages.ts";

// Keeps the process until the controller closes the channel: then nothing is left to wait for.
process.once("disconnect", () => undefined);
const [first] = (await once(process, "message")) as [Packed<ScanBundles>];
const say = (message: FromScan | Said): void => void process.send?.([message]);
const working = writeProgress(PROGRESS_FILE);
blameStrayErrors(working);
say({ type: "started" });
try {
  const { bytes, ref, trust, signed, others, absent, slowMs } = unpacked<ScanBundles>(first);
  /** Of the object that is audited; null while the bundles load. */
  let namespace: string | null = null;
  const onSlow = (team: string, ms: number): void => {
    if (namespace !== null) say({ type: "slow", team, namespace, ms });
  };
  const during = watchTeams({ working, teams: teamNames(others), slowMs, onSlow });
  verifySet({ bytes, ref, trust, signed }, others, during);
  const { bundle } = await loadBundles({ bytes, ref }, others, { during });
  const policy = { ...bundle, absent };
  let context: AuditContext = { policy, clusterData: createClusterData(), forecasts: null, nowSeconds: 0 };

  const audit = (objects: readonly Workload[]): FromScan => ({
    type: "findings",
    findings: objects.map((object, index) => {
      namespace = object.metadata.namespace ?? "default";
      return working.on(index, () => auditSafely(object, context));
    }),
  });
  process.on("message", (message: ToScan) => {
    if (message.type === "audit") {
      say(audit(message.objects));
      return;
    }
    const { events, forecasts, nowSeconds } = message;
    const clusterData = createClusterData();
    for (const event of events) clusterData.apply(event);
    context = { policy, clusterData, forecasts, nowSeconds };
  });
  // SIGKILL ends this process, and Node writes its compile cache only at a regular end.
  flushCompileCache();
  const { settingNames = {} } = policy.catalog;
  say({ type: "ready", digest: policy.digest, zones: fedZones(policy.catalog), settingNames });
} catch (thrown) {
  const { code, params } = asLandfallError(thrown);
  say({ type: "failed", code, params });
}
