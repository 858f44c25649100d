const RESERVED = /^(?:[a-z0-9.-]+\.)?(?:kubernetes|k8s)\.io\//;

/** Whether a label or a taint is one of Kubernetes' own. A kubelet refuses to set most of these labels, and EKS to take any of both. */
export const isReservedName = (key: string): boolean => RESERVED.test(key);
