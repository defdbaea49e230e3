"""`python -m bench`: what this project costs beside its peers, each measured by the same client over the same wire in the same run.

Not part of the package: peers are installed into a cache folder of their own, and every contender is driven from outside, over MCP,
REST, OpenEnv's web socket or, where the peer is a library, in a process of its own.
"""
