# The product without its demo and the embedded Postgres: DATABASE_URL names the database. Nobody in it is root, and it writes to /data
# and /tmp alone, so that it runs with a read-only file system. `docs/operations.md` says how it is built and started.
ARG NODE=24.21.0
ARG NODE_DIGEST=sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM node:${NODE}-bookworm-slim@${NODE_DIGEST} AS pages
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --include=optional --no-audit --no-fund
RUN cd packages/web && node ../../node_modules/vite/bin/vite.js build --logLevel warn

FROM node:${NODE}-bookworm-slim@${NODE_DIGEST} AS packages
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --workspace @caretaker/server --no-audit --no-fund --ignore-scripts
# What only a compiler or a debugger reads: a third of it.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

FROM node:${NODE}-bookworm-slim@${NODE_DIGEST}
LABEL org.opencontainers.image.title="Caretaker" org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MQTT_PORT=1883 HEALTH_PORT=9090 CARETAKER_DATA=/data CARETAKER_DEMO=off
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /build/node_modules node_modules
COPY packages/rules packages/rules
COPY packages/contract packages/contract
COPY packages/server packages/server
COPY --from=pages /build/packages/web/dist packages/web/dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 1883 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.HEALTH_PORT + '/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The parts that are named after it, or all: `docker run caretaker api worker`.
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=16", "packages/server/src/main.ts"]
