/**
 * The page loads only what this server has, runs no script that is part of a page, and no other site can show it in a frame.
 * `require-trusted-types-for`: a text never becomes HTML, so the name of an object cannot become a script.
 */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'"],
  ...["connect-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join("; ");

/** Headers of every answer. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
