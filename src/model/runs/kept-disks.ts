import { isObject } from "../json.ts";

/**
 * Names of the data disks of a machine's spec with this `deletionPolicy`: `retain` for those that stay when the machine is deleted.
 * The default is `delete`.
 */
export function diskNames({ disks }: Readonly<Record<string, unknown>>, policy: "retain" | "delete"): string[] {
  const list: unknown[] = Array.isArray(disks) ? disks : [];
  return list.flatMap((disk) => {
    if (!isObject(disk) || typeof disk["name"] !== "string") return [];
    return (disk["deletionPolicy"] ?? "delete") === policy ? [disk["name"]] : [];
  });
}
