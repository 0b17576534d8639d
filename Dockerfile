# One executable on a small base. Chromium comes with it, since pages that need scripts are part of the work.
FROM debian:12-slim AS build
# Debian's point releases fix faults; a pinned version would keep them, and is gone from the archive soon.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git make nodejs npm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN make build

FROM debian:12-slim
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates chromium \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home crawler
COPY --from=build /source/crawler /usr/local/bin/crawler
# A number: Kubernetes can tell that it is not root.
USER 10001
WORKDIR /home/crawler
# Chromium's own sandbox needs user namespaces, which most container runtimes withhold: the container is the sandbox.
ENV BROWSER_SANDBOX=false HTTP_PORT=8080
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/crawler"]
