/** How each provider writes a size within a series: what stands for it in the name of the series. */
const SERIES: Readonly<Record<string, (type: string) => string>> = {
  // Standard_D16as_v5 -> Standard_D#as_v5
  azure: (type) => type.replace(/^(Standard_[A-Z]+)\d+/, "$1#"),
  // m7i.2xlarge -> m7i
  aws: (type) => type.split(".", 1)[0] ?? type,
  // n2-standard-8 -> n2-standard-#, a2-highgpu-1g -> a2-highgpu-#
  gcp: (type) =>
    type
      .split("-")
      .map((part, at) => (at > 0 && /^\d/.test(part) ? "#" : part))
      .join("-"),
};

/** The series of a machine type: its sizes differ in the number of vCPUs, and their prices grow with it. */
export const seriesOf = (provider: string, type: string): string => SERIES[provider]?.(type) ?? type;
