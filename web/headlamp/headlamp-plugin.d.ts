// The part of Headlamp's plugin interface that the plugin uses, as kubernetes-sigs/headlamp publishes it in @kinvolk/headlamp-plugin 0.14
// (frontend/src/plugin/registry.tsx, components/DetailsViewSection, components/common/SectionBox.tsx and Resource/ResourceTable.tsx at
// 6d2b42cc7, 2026-08-21). The package itself brings some 300 others.

declare module "@kinvolk/headlamp-plugin/lib" {
  import type { ReactElement, ReactNode } from "react";

  /** lib/k8s/KubeObject.ts: `jsonData` is the object as the API server gave it. */
  export interface KubeObject {
    readonly kind: string;
    readonly jsonData: object;
  }

  export interface DetailsViewSectionProps {
    resource: KubeObject;
  }

  export function registerDetailsViewSection(
    section: ((props: DetailsViewSectionProps) => ReactNode) | ReactElement | null,
  ): void;

  /** A column of a table of resources; Headlamp's own columns may also be given by name. */
  export interface ResourceTableColumn<RowItem> {
    id?: string;
    label: string;
    getValue: (item: RowItem) => string | number | null | undefined;
    render?: (item: RowItem) => ReactNode;
    sort?: boolean | ((a: RowItem, b: RowItem) => number);
    gridTemplate?: string | number;
  }

  type ColumnType = "age" | "name" | "namespace" | "type" | "kind" | "cluster" | "labels";
  type Columns<RowItem> = (ResourceTableColumn<RowItem> | ColumnType)[];

  /** `id`: of the table; `headlamp-` and the plural of the kind for a list of resources. */
  export function registerResourceTableColumnsProcessor(processor: {
    id: string;
    processor: <RowItem>(args: { id: string; columns: Columns<RowItem> }) => Columns<RowItem>;
  }): void;
}

declare module "@kinvolk/headlamp-plugin/lib/CommonComponents" {
  import type { ReactElement, ReactNode } from "react";

  export function SectionBox(props: { title?: ReactNode; subtitle?: ReactNode; children?: ReactNode }): ReactElement;
}
