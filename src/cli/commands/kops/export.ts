import type { Command } from "commander";
import colors from "picocolors";
import { describe, type ErrorCode } from "../../../errors.ts";
import { commandLine, quoted } from "../../../kops/command-line.ts";
import { exportCluster } from "../../../kops/export-cluster.ts";
import { inOrder } from "../../../kops/to-kops.ts";
import type { KopsCatalog, KopsFlags, KopsManifests, Note } from "../../../kops/types.ts";
import { yamlText } from "../../output/value-text.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { single, withDecisionOptions } from "../../options/decision-options.ts";
import { writeResult } from "../../output/write-result.ts";
import { formatDecision } from "../../output/format-decision.ts";
import { type DecidedCluster, decidedClusters } from "./decided-clusters.ts";
import { formatNotes } from "./format-notes.ts";
import { type KopsOptions, readKopsFlags, withKopsOptions } from "./kops-options.ts";
import { readKopsCatalog } from "./read-kops-catalog.ts";
import { readObjects } from "../../objects/read-objects.ts";

const FORMATS = ["yaml", "json"];

/** An exported cluster; without manifests if it is denied. */
interface Export {
  cluster: DecidedCluster;
  manifests: KopsManifests | null;
  /** The arguments of `kops create cluster`. */
  words: string[];
  notes: Note[];
}

const missing = (code: ErrorCode, path: string): Note => ({ code, path, value: null, ...describe(code) });

function flagNotes({ sshPublicKey, state }: KopsFlags): Note[] {
  return [
    ...(sshPublicKey === null ? [missing("KOPS_NO_SSH_KEY", "SSHCredential/admin")] : []),
    ...(state === null ? [missing("KOPS_NO_STATE", "Cluster spec.configBase")] : []),
  ];
}

interface With {
  flags: KopsFlags;
  catalog: KopsCatalog;
  options: KopsOptions;
}

function exportOne(cluster: DecidedCluster, { flags, catalog, options }: With): Export {
  if (cluster.object === null) return { cluster, manifests: null, words: [], notes: [] };
  const { manifests, notes } = exportCluster(cluster.object, flags, catalog);
  const sshPublicKeyFile = options.sshPublicKey ?? null;
  const line = commandLine(manifests, { flags, target: options.target, sshPublicKeyFile });
  return {
    cluster,
    manifests,
    words: line.words,
    notes: [...flagNotes(flags), ...notes, ...(options.command === true ? line.notes : [])],
  };
}

function asJson({ cluster, manifests, words, notes }: Export, { command }: KopsOptions): unknown {
  const { name, decision } = cluster;
  if (manifests === null) return { object: name, denials: decision?.denials ?? [], manifests: [], notes };
  return { object: name, ...(command === true ? { command: words } : { manifests: inOrder(manifests) }), notes };
}

function asText({ cluster, manifests, words }: Export, { command }: KopsOptions): string {
  if (manifests === null) {
    const text =
      cluster.decision === null
        ? ""
        : formatDecision(cluster.decision, { nowSeconds: cluster.nowSeconds, colors: colors.createColors(false) });
    return text.replace(/^/gm, "# ").replace(/# $/, "");
  }
  // One flag per line, after the command's three words.
  if (command === true) return `${[words.slice(0, 3).join(" "), ...words.slice(3).map(quoted)].join(" \\\n  ")}\n`;
  return inOrder(manifests)
    .map((manifest) => `---\n${yamlText(manifest, { aliasDuplicateObjects: false, sortMapEntries: true })}`)
    .join("");
}

async function exportKops(cli: Cli, options: KopsOptions): Promise<void> {
  const [flags, catalog] = [
    await readKopsFlags(options),
    await readKopsCatalog(cli.root, new Date().toISOString().slice(0, 10)),
  ];
  const clusters = await decidedClusters(cli, options, await readObjects(options.file, cli));
  const exports = clusters.map((cluster) => exportOne(cluster, { flags, catalog, options }));
  const value = options.output === "json" ? single(exports.map((one) => asJson(one, options))) : null;
  // The YAML is that of the manifests alone.
  writeResult(cli, value === null ? "table" : "json", value, () => exports.map((one) => asText(one, options)).join(""));
  for (const { cluster, notes } of options.output === "json" ? [] : exports) cli.note(formatNotes(cluster.name, notes));
  cli.exit(exports.every(({ manifests }) => manifests !== null) ? EXIT.allowed : EXIT.denied);
}

/** `landfall export kops`: converts a KaasCluster to kOps manifests. */
export function addKopsExport(group: Command, cli: Cli): void {
  const kops = group.command("kops").description("Print kOps manifests for KaasClusters of AWS or Elemento.");
  withKopsOptions(withDecisionOptions(kops, { objects: "KaasClusters", output: FORMATS })).action(
    (options: KopsOptions) => exportKops(cli, options),
  );
}
