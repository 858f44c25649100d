import { stat } from "node:fs/promises";

/** Whether a reference is the path of a file. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
