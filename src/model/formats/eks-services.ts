import { parseIpv4Network } from "./ipv4-network.ts";

/** https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html */
export const EKS_SERVICES = {
  inside: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  widest: 12,
  smallest: 24,
} as const;

/** Whether the first network lies in the second one. */
export function isInside(range: string, whole: string): boolean {
  const [inner, outer] = [parseIpv4Network(range), parseIpv4Network(whole)];
  return inner !== null && outer !== null && outer.first <= inner.first && inner.last <= outer.last;
}

/** Whether EKS takes the range for services. */
export function isForEks(services: string): boolean {
  const bits = parseIpv4Network(services)?.bits ?? 0;
  const isSized = bits >= EKS_SERVICES.widest && bits <= EKS_SERVICES.smallest;
  return isSized && EKS_SERVICES.inside.some((whole) => isInside(services, whole));
}
