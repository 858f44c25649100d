import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isPublicKey } from "../../../src/model/formats/ssh-key.ts";

/** A field after its length in four bytes (RFC 4251, section 5). */
function field(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const part = (text = ""): Buffer => Buffer.from(text, "base64url");

const lineOf = (type: string, ...fields: (Buffer | string)[]): string =>
  `${type} ${Buffer.concat([type, ...fields].map(field)).toString("base64")} me@laptop`;

function rsa(bits: number): string {
  const { n, e } = generateKeyPairSync("rsa", { modulusLength: bits }).publicKey.export({ format: "jwk" });
  return lineOf("ssh-rsa", part(e), Buffer.concat([Buffer.alloc(1), part(n)]));
}

function elliptic(name: string, curve: string): string {
  const { x, y } = generateKeyPairSync("ec", { namedCurve: curve }).publicKey.export({ format: "jwk" });
  return lineOf(`ecdsa-sha2-${name}`, name, Buffer.concat([Buffer.from([4]), part(x), part(y)]));
}

const ed25519 = (): string =>
  lineOf("ssh-ed25519", part(generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x));

describe("a public key of SSH", () => {
  it.each([
    ["ed25519", ed25519()],
    ["RSA", rsa(2048)],
    ["P-256", elliptic("nistp256", "prime256v1")],
    ["P-384", elliptic("nistp384", "secp384r1")],
    ["P-521", elliptic("nistp521", "secp521r1")],
  ])("of %s is whole", (_name, line) => {
    expect(isPublicKey(line)).toBe(true);
    expect(isPublicKey(line.replace(/ me@laptop$/, ""))).toBe(true);
  });

  const [type = "", text = ""] = ed25519().split(" ");
  it.each([
    ["a word", "ssh-ed25519 hello"],
    ["nothing", "ssh-ed25519 "],
    ["a key that was cut off", `${type} ${text.slice(0, -8)}`],
    ["a key with more after it", `${type} ${Buffer.concat([part(text), field("x")]).toString("base64")}`],
    ["a key of another type", `ssh-rsa ${text}`],
    ["a short RSA key", lineOf("ssh-rsa", part("AQAB"), Buffer.alloc(64, 1))],
    ["a curve of another name", lineOf("ecdsa-sha2-nistp256", "nistp384", Buffer.alloc(65))],
    ["a length beyond the end", `ssh-ed25519 ${Buffer.from([255, 255, 255, 255]).toString("base64")}`],
  ])("%s is none", (_name, line) => {
    expect(isPublicKey(line)).toBe(false);
  });
});
