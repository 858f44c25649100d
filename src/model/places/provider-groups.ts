/** API groups of the kinds that the charts install and a provider's operator, or Landfall's for Elemento, acts on. */
export const PROVIDER_GROUPS = [
  "resources.azure.com",
  "network.azure.com",
  "compute.azure.com",
  "containerservice.azure.com",
  "managedidentity.azure.com",
  "ec2.services.k8s.aws",
  "eks.services.k8s.aws",
  "iam.services.k8s.aws",
  "compute.cnrm.cloud.google.com",
  "container.cnrm.cloud.google.com",
  "iam.cnrm.cloud.google.com",
  "elemento.landfall.dev",
] as const;
