// A model server that nobody here wrote: it plays the same two turns in every wire format.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0 });
const call = { name: "bash", arguments: JSON.stringify({ command: "echo from-the-tool" }) };
mock.on({ userMessage: "look", hasToolResult: false }, { content: "Let me see.", toolCalls: [call] });
mock.on({ userMessage: "look", hasToolResult: true }, { content: "The tool has spoken." });
await mock.start();
console.log(mock.url);
