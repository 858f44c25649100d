# The image of Landfall's processes, for those who build with a container engine: `docker build -t REGISTRY/landfall:TAG .`
# `npm run image` makes the same file tree without one, on the base of the last stage (docs/operations/install.md).
# Bases are pinned by digest; Dependabot proposes newer ones.
FROM golang:1.26-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS go

FROM node:24-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS build
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
# Certificates, for the modules of the tools that are built.
COPY --from=go /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run image -- /image

FROM gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f
COPY --from=build /image /
USER 65532:65532
WORKDIR /app
ENTRYPOINT ["/usr/local/bin/node"]
