# An image with the program and nothing else. Nobody has built or run it yet; docs/install.md says what was tried.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
ARG COMMIT=
ARG DATE=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w \
    -X discoclaw/internal/inspect.version=${VERSION} \
    -X discoclaw/internal/inspect.commit=${COMMIT} \
    -X discoclaw/internal/inspect.date=${DATE}" -o /out/discoclaw ./cmd/discoclaw \
    && mkdir /out/data

# Time zones are linked into the program (time/tzdata).
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/discoclaw /discoclaw
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV DISCOCLAW_DATA_DIR=/data
VOLUME /data
WORKDIR /data
ENTRYPOINT ["/discoclaw"]
