import { gunzipSync, gzipSync } from "node:zlib";

type Fields = Record<string, unknown>;

/** helm's release in `data.release` of its Secret. */
export function openRelease(data: string): Fields {
  const packed = Buffer.from(Buffer.from(data, "base64").toString("latin1"), "base64");
  return JSON.parse(gunzipSync(packed).toString()) as Fields;
}

/** The opposite: what whoever may write the Secret can put there. */
export const packRelease = (release: Fields): string =>
  Buffer.from(gzipSync(JSON.stringify(release)).toString("base64")).toString("base64");

/** A hook as helm stores it: `manifest` is applied before helm deletes the release's resources. */
export const hookOf = (manifest: { kind: string; metadata: { name: string } }): Fields => ({
  name: manifest.metadata.name,
  kind: manifest.kind,
  path: "templates/hook.yaml",
  manifest: JSON.stringify(manifest),
  events: ["pre-delete", "pre-upgrade", "post-upgrade", "post-delete"],
  delete_policies: ["before-hook-creation"],
  last_run: { started_at: "", completed_at: "", phase: "" },
});
