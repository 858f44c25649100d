/** The media types that `opa run` accepts; it rejects Docker's. */
export const IMAGE_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const IMAGE_CONFIG = "application/vnd.oci.image.config.v1+json";
export const IMAGE_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
