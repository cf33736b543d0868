# A system in which the commands of the README work:
#
#   docker build -t limen . && docker run --rm -it limen             ./x run
#   docker run --rm -it -v "$PWD":/home/dev/limen limen ./x test     the tree of this machine
#
# .ci/fresh_system --dockerfile follows these steps where there is no docker.
FROM debian:trixie-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates git sudo && \
    useradd --create-home --shell /bin/bash dev && \
    echo 'dev ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/dev
USER dev
WORKDIR /home/dev/limen
COPY --chown=dev . .
RUN ./x setup
CMD ["./x", "run"]
