/** A scaffolded chart's resources at a provider. */
export interface ChartProvider {
  name: string;
  /** A region for the examples. */
  region: string;
  /** API groups of the resources, without core, and the plurals of their kinds. */
  groups: readonly { group: string; plurals: readonly string[] }[];
  /** Kinds of the resources, sorted. */
  kinds: readonly string[];
  /** The operator's annotation for `deletionPolicy: retain`. */
  retained: string;
  /** Template below templates/chart/provider. */
  template: string;
}

const KNOWN: readonly ChartProvider[] = [
  {
    name: "azure",
    region: "italynorth",
    groups: [
      { group: "resources.azure.com", plurals: ["resourcegroups"] },
      { group: "network.azure.com", plurals: ["virtualnetworks"] },
    ],
    kinds: ["ResourceGroup", "VirtualNetwork"],
    retained: "detach-on-delete",
    template: "azure",
  },
  {
    name: "aws",
    region: "eu-south-1",
    groups: [{ group: "ec2.services.k8s.aws", plurals: ["vpcs"] }],
    kinds: ["VPC"],
    retained: "retain",
    template: "aws",
  },
  {
    name: "gcp",
    region: "europe-west8",
    groups: [{ group: "compute.cnrm.cloud.google.com", plurals: ["computenetworks", "computesubnetworks"] }],
    kinds: ["ComputeNetwork", "ComputeSubnetwork"],
    retained: "abandon",
    template: "gcp",
  },
  {
    name: "elemento",
    region: "ovh-fr-gravelines",
    groups: [{ group: "elemento.landfall.dev", plurals: ["elementonetworks"] }],
    kinds: ["ElementoNetwork"],
    retained: "retain",
    template: "elemento",
  },
];

/** Default providers of a chart. */
export const DEFAULT_PROVIDERS: readonly string[] = ["azure", "aws", "gcp"];

/** A provider with templates, or an unknown one, for which a ConfigMap is the placeholder. */
export const chartProvider = (name: string): ChartProvider =>
  KNOWN.find((known) => known.name === name) ?? {
    name,
    region: "region-1",
    groups: [],
    kinds: ["ConfigMap"],
    retained: "keep",
    template: "other",
  };
