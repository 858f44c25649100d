import type { Command } from "commander";
import kaasCluster from "../../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../../schemas/vm-template.schema.json" with { type: "json" };
import { type Kind, KINDS } from "../../../model/names.ts";
import type { Cli } from "../../cli.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { repeated } from "../../options/repeated.ts";
import { yamlText } from "../../output/value-text.ts";
import { writeResult } from "../../output/write-result.ts";
import type { SchemaNode } from "./portal-schema.ts";
import { portalWidgets } from "./portal-widgets.ts";

interface Flags extends OutputFlags {
  namespace?: string[];
  portalNamespace: string;
}

const SCHEMAS: Readonly<Record<Kind, SchemaNode>> = { VmTemplate: vmTemplate, KaasCluster: kaasCluster };

function exportPortal(cli: Cli, { namespace = [], portalNamespace, output }: Flags): void {
  const exported = KINDS.map((kind) =>
    portalWidgets({ kind, schema: SCHEMAS[kind], portal: portalNamespace, namespaces: namespace }),
  );
  const widgets = exported.flatMap((one) => one.widgets);
  writeResult(cli, output === "json" ? "json" : "table", { apiVersion: "v1", kind: "List", items: widgets }, () =>
    widgets.map((widget) => `---\n${yamlText(widget, { aliasDuplicateObjects: false, lineWidth: 0 })}`).join(""),
  );
  for (const { kind, omitted } of exported)
    cli.note(`landfall: ${kind}: the portal's form has no control for ${omitted.join(", ")}\n`);
}

/** `landfall export krateo-portal`: the forms and pages of both kinds for Krateo's portal. */
export function addPortalExport(group: Command, cli: Cli): void {
  withOutput(
    group
      .command("krateo-portal")
      .description("Print a Form and a Page of Krateo's portal for each kind, from the schemas of this release.")
      .option("-n, --namespace <name...>", "namespaces that the form offers (default: any can be written)", repeated)
      .option("--portal-namespace <name>", "the namespace of the widgets", "krateo-system"),
    ["yaml", "json"],
  ).action((flags: Flags) => {
    exportPortal(cli, flags);
  });
}
