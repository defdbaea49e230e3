// The TypeScript SDK, version 2, in either era of the protocol. Prints what it saw as one JSON document.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { walk } from "./walk.mjs";

const [mode, target, ...command] = process.argv.slice(2);
const transport =
  target === "stdio"
    ? new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(target));
const client = new Client({ name: "typescript-v2", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
const seen = await walk(client);
console.log(JSON.stringify({ ...seen, protocol: client.getNegotiatedProtocolVersion() }));
await client.close();
