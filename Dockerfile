# The service in an image: `docker build -t remembrancer .`; how to run it is in docs/how-to/deploying.md.

FROM python:3.12-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
# Models of a provider: --build-arg EXTRAS=service,postgres,redis,telemetry,client,openai
ARG EXTRAS=service,postgres,redis,telemetry,client
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir wheels . \
 && python -m venv /opt/remembrancer \
 && /opt/remembrancer/bin/pip install --no-cache-dir --constraint constraints.txt "$(ls wheels/*.whl)[$EXTRAS]" \
 && /opt/remembrancer/bin/pip uninstall --yes pip

FROM python:3.12-slim
COPY --from=build /opt/remembrancer /opt/remembrancer
RUN mkdir /data && chown 10001:10001 /data
# What is written is written under /data; the rest of the file system may be read-only.
ENV PATH=/opt/remembrancer/bin:$PATH \
    HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    REMEMBRANCER_DB=/data/memory.db
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8077
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8077/health', timeout=4)"]
ENTRYPOINT ["remembrancer"]
# Others can reach it, so that it refuses to start before there is an access key:
# docker run --rm -v memory:/data remembrancer admin keys create NAME
CMD ["serve", "--host", "0.0.0.0"]
