/** `e2` of e2-standard-2, `m7i` of m7i.2xlarge, `Standard_Das_v5` of Standard_D8as_v5; as in the policy's landfall.flavour. */
export function machineSeries(type: string): string {
  if (!type.startsWith("Standard_")) return type.split(/[.-]/, 1)[0] ?? type;
  const [first = "", ...rest] = type.slice("Standard_".length).split("_");
  return ["Standard", (first.split("-", 1)[0] ?? "").replaceAll(/\d/g, ""), ...rest].join("_");
}
