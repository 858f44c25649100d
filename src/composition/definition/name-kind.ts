export interface KindNames {
  kind: string;
  listKind: string;
  plural: string;
  singular: string;
}

function pluralOf(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}

/** Krateo names the kind after the chart: `vm-template` gives VmTemplate, vmtemplates. */
export function nameKind(chartName: string): KindNames {
  const words = chartName.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const kind = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const singular = kind.toLowerCase();
  return { kind, listKind: `${kind}List`, plural: pluralOf(singular), singular };
}

/** `1.2.0` -> `v1-2-0`; characters that an API version cannot have become dashes. */
export const versionName = (chartVersion: string): string =>
  `v${chartVersion
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/-+$/, "")}`;
