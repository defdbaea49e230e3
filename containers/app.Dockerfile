# One app's image (legoenv/<slug>): a layer with its sources and what was derived from them, over what all images share.
# Made from two images that containers/Dockerfile makes; needs no context.
ARG RUNTIME=legoenv/runtime
ARG FILLED=legoenv/filled

FROM ${FILLED} AS filled

FROM ${RUNTIME}
ARG SLUG
COPY --from=filled /opt/legoenv/apps/${SLUG} /opt/legoenv
ENV LEGOENV_APP=${SLUG}
EXPOSE 8000
ENTRYPOINT ["/opt/legoenv/bin/app"]
