import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const SENTENCE = "Landfall: no one may log in.";
// Curve25519's field and the constant of its Edwards form (RFC 8032, section 5.1).
const P = 2n ** 255n - 19n;
const modulo = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let [result, square, left] = [1n, modulo(base), exponent];
  for (; left > 0n; left >>= 1n) {
    if (left & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}

const inverse = (value: bigint): bigint => power(value, P - 2n);
const D = modulo(-121665n * inverse(121666n));

/** Whether these 32 bytes are the encoding of a point: x² = (y² − 1) / (d y² + 1) has to be a square. */
function isPoint(bytes: Buffer): boolean {
  const little = Buffer.from(bytes).reverse();
  little.writeUInt8(little.readUInt8(0) & 0x7f, 0);
  const y = BigInt(`0x${little.toString("hex")}`);
  const square = modulo((y * y - 1n) * inverse(modulo(D * y * y + 1n)));
  return y < P && square !== 0n && power(square, (P - 1n) / 2n) === 1n;
}

/** The first hash of the sentence and a counter that is a point: nobody chose it, so nobody knows its private half. */
function derive(): Buffer {
  for (let counter = 0; ; counter++) {
    const bytes = createHash("sha256")
      .update(`${SENTENCE} ${String(counter)}`)
      .digest();
    if (isPoint(bytes)) return bytes;
  }
}

it("locks a machine without a key by a key derived from a public sentence", async () => {
  const template = await readFile(
    new URL("../../../charts/vmtemplate/templates/_cloud-init.tpl", import.meta.url),
    "utf8",
  );
  const key = /ssh-ed25519 ([A-Za-z0-9+/=]+) locked/.exec(template)?.[1] ?? "";
  const wire = Buffer.from(key, "base64");
  expect(wire.subarray(4, 15).toString()).toBe("ssh-ed25519");
  expect(wire.subarray(19).toString("hex")).toBe(derive().toString("hex"));
});
