// What every client does with the sample app `notes`: list, call, read back, be refused by the app and by the protocol.
export async function walk(client) {
  const { tools } = await client.listTools();
  const made = await client.callTool({ name: "create_note", arguments: { text: "from TypeScript", tags: ["ts"] } });
  const found = await client.callTool({ name: "get_note", arguments: { id: made.structuredContent.id } });
  const missing = await client.callTool({ name: "get_note", arguments: { id: "n_none" } });
  const wrong = await client.callTool({ name: "create_note", arguments: {} });
  let unknown = "";
  try {
    await client.callTool({ name: "nosuchtool", arguments: {} });
  } catch (error) {
    unknown = String(error.message);
  }
  return {
    tools: tools.map((tool) => tool.name),
    made: made.structuredContent,
    found: found.structuredContent,
    missing: { isError: missing.isError, text: missing.content[0].text, structured: missing.structuredContent ?? null },
    wrong: { isError: wrong.isError, text: wrong.content[0].text },
    unknown,
  };
}
