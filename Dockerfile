# Two images: the gateway (default) and the sandbox (`docker build --target sandbox`). Each contains only what it needs at run time and
# runs as an unprivileged user. For a reproducible build, name the base by digest: --build-arg NODE_IMAGE=node:26-slim@sha256:…
# Decision D-133.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/import/package.json ./packages/import/
COPY packages/manager/package.json ./packages/manager/
COPY packages/whatsapp-crypto/package.json ./packages/whatsapp-crypto/
# Types and source maps are a quarter of the size and are not read at run time.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# The SBOM lists all packages in node_modules. npm sbom fails if package.json names a package that is not installed. `npm sbom --omit=dev`
# does not, but leaves out packages that a development dependency needs too: https://github.com/npm/cli/issues/7909.
RUN npm pkg delete devDependencies workspaces \
 && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json

FROM ${NODE_IMAGE} AS sandbox-packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/import/package.json ./packages/import/
COPY packages/manager/package.json ./packages/manager/
COPY packages/whatsapp-crypto/package.json ./packages/whatsapp-crypto/
RUN npm ci --omit=dev --workspace @messaging-gateway/sandbox --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# As above. The dependencies of the gateway are not installed either. `overrides` of package.json refers to whatsapp-rust-bridge.
RUN npm pkg delete devDependencies dependencies workspaces \
 && npm pkg set dependencies.@messaging-gateway/sandbox=file:packages/sandbox \
      dependencies.whatsapp-rust-bridge=file:packages/whatsapp-crypto \
 && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json

# The simulated platform; packages/sandbox/README.md describes its settings.
FROM ${NODE_IMAGE} AS sandbox
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node -m 0700 /data
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/sandbox/src ./packages/sandbox/src/
COPY packages/whatsapp-crypto/package.json ./packages/whatsapp-crypto/
COPY packages/whatsapp-crypto/src ./packages/whatsapp-crypto/src/
COPY --from=sandbox-packages /app/node_modules ./node_modules/
COPY --from=sandbox-packages /app/sbom.cdx.json ./
ARG REVISION=unknown
LABEL org.opencontainers.image.title="messaging-gateway-sandbox" \
      org.opencontainers.image.description="A simulated WhatsApp for tests of messaging-gateway" \
      org.opencontainers.image.licenses="GPL-3.0-only AND MIT" \
      org.opencontainers.image.revision="${REVISION}"
# SANDBOX_HOST is the name by which other containers reach this one, such as the name of the compose service.
ENV NODE_ENV=production DATA_DIR=/data SANDBOX_HOST=sandbox SANDBOX_PORT=8081 SANDBOX_PLATFORM_PORT=8443
VOLUME /data
EXPOSE 8081 8443
USER node
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require('http').get({ host: '127.0.0.1', port: process.env.SANDBOX_PORT || 8081, path: '/' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "packages/sandbox/src/process/bin.ts"]

# The gateway: the last stage, which `docker build` makes by default. Documentation: docs/deploy/docker.md.
FROM ${NODE_IMAGE} AS gateway
# Set FFMPEG to an empty value to build without ffmpeg (170 MB). Voice notes then accept MP3, WAV and Ogg/Opus only.
ARG FFMPEG=ffmpeg
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini ${FFMPEG} \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node -m 0700 /data
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY openapi/openapi.yaml ./openapi/
COPY src ./src/
COPY packages/manager/src ./packages/manager/src/
COPY packages/whatsapp-crypto/package.json ./packages/whatsapp-crypto/
COPY packages/whatsapp-crypto/src ./packages/whatsapp-crypto/src/
COPY --from=packages /app/node_modules ./node_modules/
COPY --from=packages /app/sbom.cdx.json ./
ARG REVISION=unknown
LABEL org.opencontainers.image.title="messaging-gateway" \
      org.opencontainers.image.description="WhatsApp gateway: an HTTP API and durable webhooks for many accounts" \
      org.opencontainers.image.licenses="GPL-3.0-only AND MIT" \
      org.opencontainers.image.revision="${REVISION}"
# The compile cache (D-184): the user who starts the program makes it and cannot write it afterwards.
RUN install -d -o node node_modules/.cache \
 && runuser -u node -- node src/fill-compile-cache.js \
 && chown -R root:root node_modules/.cache \
 && chmod -R a=rX node_modules/.cache
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
EXPOSE 8080
USER node
STOPSIGNAL SIGTERM
# /livez, not /readyz: a restart does not help while the database is unavailable. The start waits up to a minute for the database.
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "const { SERVER_TYPE, PORT, SERVER_PORT } = process.env; require(SERVER_TYPE === 'https' ? 'https' : 'http').get({ host: '127.0.0.1', port: PORT || SERVER_PORT || 8080, path: '/livez', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "--v8-pool-size=1", "--import", "./src/app/preload.js", "src/server.ts"]
