// The TypeScript SDK, version 1: what most hosts have. Prints what it saw as one JSON document.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { walk } from "./walk.mjs";

const [target, ...command] = process.argv.slice(2);
const transport =
  target === "stdio"
    ? new StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(target));
const client = new Client({ name: "typescript-v1", version: "1" });
await client.connect(transport);
console.log(JSON.stringify(await walk(client)));
await client.close();
