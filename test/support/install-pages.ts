/** The pages that lead from an empty cluster to a first machine: docs/operations/clusters/NAME.md. */
export const CLUSTER_INSTALLS = ["eks", "gke", "aks", "k3s"] as const;

export interface Command {
  /** Without its comment. */
  line: string;
  /** The text of its here-document with the line that ends it; empty without one. */
  here: string;
}

/** A line with its here-document, or a line without one. */
const COMMAND = /^(?<opening>[^\n]*<<'?(?<end>\w+)'?)\n(?<here>[\s\S]*?^\k<end>\n)|^(?<single>[^\n]+)$/gm;

const withoutComment = (line: string): string => line.replace(/(^|\s)#.*$/, "").trim();

/** The commands of a page's shell blocks, in order. */
export function shellCommandsOf(text: string): Command[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, ""),
  );
  return blocks
    .flatMap((block) => [...block.matchAll(COMMAND)])
    .map(({ groups }) => ({
      line: withoutComment(groups?.["opening"] ?? groups?.["single"] ?? ""),
      here: groups?.["here"] ?? "",
    }))
    .filter(({ line }) => line !== "");
}

const every = (line: string, pattern: RegExp): string[] => [...line.matchAll(pattern)].map(([, file = ""]) => file);

/** What a command writes; a folder ends with a slash. */
const madeBy = (line: string): string[] => [
  ...every(line, /(?<![<>])>\s?([\w./-]+)/g),
  ...every(line, /\s-{1,2}(?:out|keyout|sbom)\s+([\w./-]+)/g),
  ...every(line, /^gcloud storage cp \S+ ([\w./-]+)/g),
  ...every(line, /keys create ([\w./-]+)/g),
  ...every(line, /^tar .* -C ([\w-]+)/g).map((folder) => `${folder}/`),
];

/** What it reads. Arguments that begin with a slash are files of another machine, and `-` is what the command before the pipe prints. */
const readBy = (line: string): string[] =>
  [
    ...every(line, /\s-{1,2}(?:f|values|key|in|CA|CAkey|CAfile|extfile)\s+([\w./-]+)/g),
    ...every(line, /--set-file\s+'?[^=\s]+=([\w./-]+)/g),
    ...every(line, /file:\/\/([\w./-]+)/g),
    ...every(line, /bundle push ([\w./-]+)/g),
    ...every(line, /\$\(cat ([\w./-]+)\)/g),
    ...every(line, /^tar zxf ([\w./-]+)/g),
    ...every(line, /^jq '[^']*' ([\w./-]+)/g),
    ...every(line, /^openssl verify .* ([\w-]+\.crt)$/g),
    ...every(line, /^sudo install -m \d+ (.+) \S+$/g).flatMap((files) => files.split(" ")),
  ].filter((file) => !file.startsWith("/") && file !== "-");

/** The files that a command reads before one has made them, and that are not in a clone. */
export function unmadeFiles(commands: readonly Command[], isInClone: (file: string) => boolean): string[] {
  const made = new Set<string>();
  const isMade = (file: string): boolean =>
    made.has(file) || [...made].some((one) => one.endsWith("/") && file.startsWith(one));
  return commands.flatMap(({ line }) => {
    const missing = readBy(line).filter((file) => !isMade(file) && !isInClone(file));
    for (const file of madeBy(line)) made.add(file);
    return missing;
  });
}
