import type { Command } from "commander";
import type { Cli } from "../cli.ts";

type AddCommand = (program: Command, cli: Cli) => void;

/** In the order of the help text. Only the named command is loaded: loading all takes twice as long. */
export const COMMANDS: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ["explain", async () => (await import("./explain.ts")).addExplain],
  ["plan", async () => (await import("./plan.ts")).addPlan],
  ["get", async () => (await import("./get/get.ts")).addGet],
  ["console", async () => (await import("./console/console.ts")).addConsole],
  ["diff", async () => (await import("./diff/diff.ts")).addDiff],
  ["test", async () => (await import("./test/test.ts")).addTest],
  ["places", async () => (await import("./catalog/places.ts")).addPlaces],
  ["types", async () => (await import("./catalog/types.ts")).addTypes],
  ["catalog", async () => (await import("./catalog/catalog.ts")).addCatalog],
  ["acknowledge", async () => (await import("./acknowledge.ts")).addAcknowledge],
  ["audit", async () => (await import("./audit/audit.ts")).addAudit],
  ["doctor", async () => (await import("./doctor/doctor.ts")).addDoctor],
  ["break-glass", async () => (await import("./break-glass/break-glass.ts")).addBreakGlass],
  ["unregister", async () => (await import("./unregister.ts")).addUnregister],
  ["keys", async () => (await import("./keys/keys.ts")).addKeys],
  ["certificates", async () => (await import("./certificates/certificates.ts")).addCertificates],
  ["bundle", async () => (await import("./bundle/bundle.ts")).addBundle],
  ["impact", async () => (await import("./impact/impact.ts")).addImpact],
  ["simulate", async () => (await import("./simulate/simulate.ts")).addSimulate],
  ["scaffold", async () => (await import("./scaffold/scaffold.ts")).addScaffold],
  ["export", async () => (await import("./export/export.ts")).addExport],
  ["completion", async () => (await import("./completion.ts")).addCompletion],
  ["import", async () => (await import("./kops/import.ts")).addImport],
]);
