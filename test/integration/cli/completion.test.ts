import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const landfall = (...args: string[]) => spawnSync(process.execPath, ["bin/landfall.js", ...args], { encoding: "utf8" });

describe("landfall completion", () => {
  const script = landfall("completion", "bash").stdout;

  it.each([
    ["landfall expl", "explain"],
    ["landfall bundle insp", "inspect"],
    ["landfall explain --fil", "--file"],
    ["landfall bundle build --cata", "--catalog"],
  ])("completes %s in bash to %s", (typed, wanted) => {
    const words = typed.split(" ");
    const call = `${script}\nCOMP_WORDS=(${words.join(" ")}); COMP_CWORD=${String(words.length - 1)}; _landfall; echo "\${COMPREPLY[*]}"`;
    expect(spawnSync("bash", ["-c", call], { encoding: "utf8" }).stdout.split(/\s+/)).toContain(wanted);
  });

  it("has the same for zsh and fish, and names the shells that it knows", () => {
    expect(landfall("completion", "zsh").stdout).toContain(script);
    expect(landfall("completion", "fish").stdout).toMatch(/^complete -c landfall .* -a explain -d '/m);
    expect(landfall("completion", "tcsh").stderr).toContain("write bash, zsh or fish");
  });
});
