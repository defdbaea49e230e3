"""Foreign benchmarks with our runner: MCP-Mark, BFCL and AutomationBench, from the user's own copies (docs/benchmarks-run.md)."""
