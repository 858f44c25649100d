// Landfall's plugin for Headlamp: a section in the details of a VmTemplate or KaasCluster, and columns in their tables.
import { registerDetailsViewSection, registerResourceTableColumnsProcessor } from "@kinvolk/headlamp-plugin/lib";
import { isKind, KINDS, PLURAL } from "../../src/model/names.ts";
import { COLUMNS } from "./columns.tsx";
import { DecisionSection } from "./decision-section.tsx";

registerDetailsViewSection(({ resource }) =>
  isKind(resource.kind) ? <DecisionSection object={resource.jsonData} /> : null,
);

const TABLES: ReadonlySet<string> = new Set(KINDS.map((kind) => `headlamp-${PLURAL[kind]}`));

registerResourceTableColumnsProcessor({
  id: "landfall-columns",
  processor: ({ id, columns }) => (TABLES.has(id) ? [...columns, ...COLUMNS] : columns),
});
