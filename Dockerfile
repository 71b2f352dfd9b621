# The gateway with what it needs to run and nothing else, as an unprivileged user; README.md, "In a container", says how to start it.
# A build that must not change names its base by digest: --build-arg NODE_IMAGE=node:26-slim@sha256:…
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/sandbox/package.json ./packages/sandbox/
COPY packages/manager/package.json ./packages/manager/
COPY packages/whatsapp-crypto/package.json ./packages/whatsapp-crypto/
# Types and source maps are a quarter of it, and nothing reads them.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${NODE_IMAGE}
# Empty: without ffmpeg, which is 170 MB; voice notes are made of MP3, WAV and Ogg/Opus then.
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
ARG REVISION=unknown
LABEL org.opencontainers.image.title="messaging-gateway" \
      org.opencontainers.image.description="HTTP gateway for many messaging-platform sessions, with durable webhooks and a built-in sandbox" \
      org.opencontainers.image.licenses="GPL-3.0-only AND MIT" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production DATA_DIR=/data
VOLUME /data
EXPOSE 8080
USER node
STOPSIGNAL SIGTERM
# Alive, not ready: a gateway whose database is away gains nothing from a restart. A start may wait for that database for a minute.
HEALTHCHECK --interval=30s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "const { SERVER_TYPE, PORT, SERVER_PORT } = process.env; require(SERVER_TYPE === 'https' ? 'https' : 'http').get({ host: '127.0.0.1', port: PORT || SERVER_PORT || 8080, path: '/livez', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "src/server.ts"]
