import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DelegatingScene, startDelegatingScene, ZS } from '../../test/server/delegating-scene.ts'

let scene: DelegatingScene

beforeAll(async () => {
  scene = await startDelegatingScene()
  await scene.available('Passed')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Returns the text of a refusal to speak another protocol. */
async function refused(headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  const { url, adminTls } = scene.server
  const outgoing = httpsRequest(new URL(`${ZS}/a/exec`, url), {
    ...adminTls,
    method: 'POST',
    agent: false,
    headers: { connection: 'Upgrade', upgrade: 'kept', ...headers },
  })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  return await text(response)
}

it('a connection over which another protocol was refused is nobody else’s: a body that was announced and never sent would be taken out of the next request', async () => {
  expect(await refused({ 'content-length': '400' }, 'x'.repeat(400))).toBe('length 0')
  for (let time = 0; time < 5; time++) {
    const { status, text: answer } = await scene.server.admin.get(ZS)
    expect([status, answer]).toEqual([200, expect.not.stringContaining('came later')])
  }
})
