# The app and the command line of RankScope: docker build --tag rankscope .
# docs/how-to/serving.md says how to run it.

# One image for both stages: Python 3.13.15 on Debian 13, for all processors.
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS base

FROM base AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM base
COPY requirements.txt /tmp/requirements.txt
RUN pip install --no-cache-dir --requirement /tmp/requirements.txt
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir --no-deps /wheels/*.whl \
    && useradd --create-home --uid 10001 rankscope \
    && install --directory --owner=rankscope /data
# By number, so that a cluster sees that it is not root.
USER 10001
WORKDIR /home/rankscope
ENV NUMBA_CACHE_DIR=/home/rankscope/kernels \
    RANKSCOPE_DATABASE_URL=sqlite:////data/runs.sqlite \
    RANKSCOPE_LOG=-
RUN rankscope warmup
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/healthz', timeout=8)"]
ENTRYPOINT ["rankscope"]
CMD ["serve", "--address", "0.0.0.0"]
