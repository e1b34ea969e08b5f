import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Subject } from '../subject.ts'
import { ZS } from './scene.ts'

type Answer = readonly [response: IncomingMessage, socket?: Duplex]

export function describeUpgrades(subject: Subject): void {
  /** Asks for another protocol, as clients of exec and port-forward do. */
  async function ask(path: string, protocol: string, body?: string): Promise<Answer> {
    const { clusters, users } = parse(subject.server.kubeconfig)
    const decode = (data: string): Buffer => Buffer.from(data, 'base64')
    const { user } = users[0]
    const { cluster } = clusters[0]
    const outgoing = httpsRequest(new URL(path, cluster.server), {
      ca: decode(cluster['certificate-authority-data']),
      cert: decode(user['client-certificate-data']),
      key: decode(user['client-key-data']),
      agent: false,
      ...(body === undefined ? {} : { method: 'POST' }),
      headers: {
        connection: 'Upgrade',
        upgrade: protocol,
        ...(body === undefined ? {} : { 'content-length': body.length }),
      },
    })
    const answer = Promise.race([once(outgoing, 'upgrade'), once(outgoing, 'response')])
    outgoing.end(body)
    const [response, socket] = await answer
    return [response, socket]
  }

  describe('another protocol', () => {
    it('is spoken with the other server, by who may ask it', async () => {
      const [response, socket] = await ask(`${ZS}/a/exec?command=ls`, 'echo')
      expect(response.statusCode).toBe(101)
      expect(response.headers).toMatchObject({ upgrade: 'echo', 'x-own': 'yes' })
      if (!socket) throw new Error('the connection speaks no other protocol')
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toMatch(/admin$/)
      for (const line of ['one', 'two']) {
        socket.write(`${line}\n`)
        expect((await lines.next()).value).toBe(line)
      }
      socket.destroy()
    })

    it('is refused as the other server refuses it', async () => {
      const [response] = await ask(`${ZS}/a/exec`, 'odd')
      response.resume()
      expect(response.statusCode).toBe(403)
    })

    it('is no part of later requests, where it was refused before its body was read', async () => {
      const [response] = await ask(`${ZS}/a/exec`, 'kept', 'x'.repeat(400))
      response.resume()
      expect(response.statusCode).toBe(404)
      for (let time = 0; time < 5; time++) expect((await subject.client.get(ZS)).status).toBe(200)
    })

    it('is not spoken where nothing is delegated', async () => {
      const [response, socket] = await ask('/api/v1/namespaces/default', 'echo')
      response.resume()
      expect([response.statusCode, socket]).toEqual([200, undefined])
    })
  })
}
