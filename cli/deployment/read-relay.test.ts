import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { readRelay } from './read-relay.ts'

it.each([
  [200, '<html>please log in</html>', 'expected object, received undefined'],
  [500, 'oops', 'expected object, received undefined'],
  [200, '{"version":99}', 'version: Invalid input: expected 1'],
])('the answer %i %s is no status, and what to check is said', async (status, body, issue) => {
  const server = createServer((_, response) => void response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { error } = await readRelay(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(error).toContain(`its /status (${status}) cannot be read: `)
  expect(error).toContain(issue)
  expect(error).toMatch(/; check that it is the URL of a run’s --metrics-port$/)
})
