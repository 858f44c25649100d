const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * The SHA-256 of the file `name` in what a project publishes: the digest alone, or lines of `sha256sum`, in which an asterisk before the
 * name stands for a binary file. Null if the text names another file only, the file twice with different digests, or nothing of this form.
 */
export function readChecksum(text: string, name: string): string | null {
  const rows = text.split("\n").map((line) => line.split(/[ \t\r]/).filter((word) => word !== ""));
  const filled = rows.filter(({ length }) => length > 0);
  const alone = filled.length === 1 && filled[0]?.length === 1 ? filled[0] : null;
  const named = filled.filter(([, file = "", more]) => more === undefined && file.replace("*", "") === name);
  const digests = new Set((alone === null ? named : [alone]).map(([digest = ""]) => digest.toLowerCase()));
  const [digest = ""] = digests;
  return digests.size === 1 && SHA_256.test(digest) ? digest : null;
}
