// Emulators of one service of the npm package `emulate`, each with a state of its own, and a control address that makes, resets and ends
// them: node emulate.mjs SERVICE. POST /episodes answers {"url"}; POST /episodes/reset?url= replays the seed; DELETE /episodes?url=
import { createServer } from 'node:http'
import { createEmulator } from 'emulate'

const service = process.argv[2]
const seeds = {
  github: {
    tokens: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`token-${n}`, { login: 'octocat', scopes: ['repo', 'user'] }])),
    github: {
      users: [{ login: 'octocat', name: 'Octo Cat', email: 'octocat@example.com' }],
      repos: [{ owner: 'octocat', name: 'shelf', auto_init: true }],
    },
  },
  slack: { slack: { channels: Array.from({ length: 24 }, (_, n) => ({ name: `channel-${n}`, topic: 'A channel' })) } },
}
const made = new Map()

async function open() {
  const emulator = await createEmulator({ service, port: 0, seed: seeds[service] })
  const url = emulator.url.replace('localhost', '127.0.0.1')
  made.set(url, emulator)
  return url
}

const control = createServer(async (request, response) => {
  const asked = new URL(request.url, 'http://control')
  let answer = {}
  const url = asked.searchParams.get('url')
  if (request.method === 'DELETE') {
    await made.get(url).close()
    made.delete(url)
  } else if (url) await made.get(url).reset()
  else answer = { url: await open() }
  const body = JSON.stringify(answer)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
control.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${control.address().port}`))
