import { LandfallError, messageOf } from "../../errors.ts";
import { readTar } from "../../model/bundle-format/tar.ts";

/** The largest chart of this project unpacks to 200 kB in 30 files. */
const MOST = { bytes: 32 * 1024 * 1024, files: 5000, packed: 100, depth: 4 };
/** The packed subcharts that Helm would load, also those of subcharts. */
const PACKED = /^((?:charts\/[^/]{1,255}\/){0,8}charts\/[^/]{1,255})\.tgz$/;

interface Left {
  bytes: number;
  files: number;
  packed: number;
}

/** A file's name below the folder that all files of an archive lie in; null for one outside of that folder. */
const withoutFolder = (name: string): string | null => {
  const at = name.indexOf("/");
  return at === -1 ? null : name.slice(at + 1);
};

interface Unpacked {
  files: Map<string, Buffer>;
  left: Left;
}

function add({ files }: Unpacked, name: string, body: Buffer): void {
  if (files.has(name)) throw new RangeError(`${name} is in it packed and unpacked`);
  files.set(name, body);
}

function unpackInner(body: Buffer, folder: string, unpacked: Unpacked, depth: number): void {
  const { left } = unpacked;
  left.packed -= 1;
  if (left.packed < 0 || depth > MOST.depth)
    throw new RangeError(`more than ${String(MOST.packed)} packed charts, or ${String(MOST.depth)} in one another`);
  addFiles(body, folder, unpacked, depth);
}

/** Throws what `readTar` throws, and a RangeError above the limits. */
function addFiles(archive: Buffer, below: string, unpacked: Unpacked, depth = 0): void {
  const { left } = unpacked;
  for (const [name, body] of readTar(archive, left)) {
    left.bytes -= body.length;
    left.files -= 1;
    const inner = withoutFolder(name);
    if (inner === null) continue;
    const [, subchart] = PACKED.exec(inner) ?? [];
    try {
      if (subchart === undefined) add(unpacked, `${below}${inner}`, body);
      else unpackInner(body, `${below}${subchart}/`, unpacked, depth + 1);
    } catch (thrown) {
      throw new RangeError(`${inner}: ${messageOf(thrown)}`, { cause: thrown });
    }
  }
}

/**
 * The files of a chart's archive, by name below its folder. Packed subcharts are unpacked: Helm never reads an archive that others wrote, which
 * it could read otherwise than the checks. Throws REL_CHART_UNREADABLE, also for links, unusual names and more than 32 MiB.
 */
export function readArchive(archive: Buffer, chart: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  try {
    addFiles(archive, "", { files, left: { ...MOST } });
  } catch (thrown) {
    throw new LandfallError("REL_CHART_UNREADABLE", { chart, detail: messageOf(thrown) }, thrown);
  }
  return files;
}
