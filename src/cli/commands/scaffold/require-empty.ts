import { readdir } from "node:fs/promises";
import { LandfallError, messageOf } from "../../../errors.ts";

/** Throws CLI_SCAFFOLD_EXISTS for a folder that is not empty, CLI_SCAFFOLD_WRITE for a path that is not a folder. */
export async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new LandfallError("CLI_SCAFFOLD_WRITE", { folder, detail: messageOf(thrown) }, thrown);
  });
  if (found.length > 0) throw new LandfallError("CLI_SCAFFOLD_EXISTS", { file: folder, others: "" });
}
