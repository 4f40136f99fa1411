# The page with everything it needs to run without a network; see docs/operations.md.
FROM python:3.11-slim AS build
WORKDIR /build
RUN python -m venv /opt/mockbot && /opt/mockbot/bin/pip install --quiet --no-cache-dir "uv>=0.9,<1"
COPY requirements-server.lock ./
RUN /opt/mockbot/bin/uv pip install --quiet --compile-bytecode --python /opt/mockbot/bin/python \
      --require-hashes -r requirements-server.lock
COPY . .
RUN /opt/mockbot/bin/uv pip install --quiet --python /opt/mockbot/bin/python --no-deps .

FROM python:3.11-slim
# A font with Chinese characters, for reports as PDF.
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends fonts-noto-cjk curl >/dev/null \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 mockbot \
 && install -d -o mockbot -g mockbot /data
COPY --from=build /opt/mockbot /opt/mockbot
ENV PATH=/opt/mockbot/bin:$PATH BOT_DATA_DIR=/data BOT_HOST=0.0.0.0 PYTHONUNBUFFERED=1
USER mockbot
WORKDIR /home/mockbot
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD curl --fail --silent http://127.0.0.1:8501/_stcore/health || exit 1
CMD ["mockbot", "serve"]
