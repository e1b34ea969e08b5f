import { describe, expect, it } from 'vitest'
import { TestServer } from '../../../testing/test-client.ts'
import type { StorageBackend } from '../../storage/backend.ts'

/** Stores nothing, and fails to commit once `fails` is set. */
class FailingBackend implements StorageBackend {
  isBroken = false

  load(): ReturnType<StorageBackend['load']> {
    return { revision: 0, rows: [], changes: [] }
  }
  append(): void {}
  commit(): void {
    if (this.isBroken) throw new Error('disk is full')
  }
  compact(): void {}
  close(): void {}
}

describe('a server whose storage fails', () => {
  it('is not well, and says by which check, but for who leaves that one out', async () => {
    const backend = new FailingBackend()
    await using server = await TestServer.start({ storage: { backend }, controllers: [] })
    const ask = (path: string) => server.ask('GET', path)
    expect((await ask('/readyz')).text).toBe('ok')
    backend.isBroken = true
    const path = '/api/v1/namespaces/default/configmaps'
    expect((await server.ask('POST', path, { body: { metadata: { name: 'lost' } } })).status).toBe(500)
    for (const endpoint of ['livez', 'healthz']) {
      const { status, text } = await ask(`/${endpoint}`)
      expect([status, text]).toEqual([
        500,
        expect.stringMatching(
          /^\[\+\]ping ok\n\[\+\]log ok\n\[\+\]loopback-serving-certificate ok\n\[-\]etcd failed: reason withheld\n(\[\+\]\S+ ok\n)+\w+ check failed\n$/,
        ),
      ])
      expect(text).toContain(`\n${endpoint} check failed\n`)
    }
    expect((await ask('/readyz?exclude=etcd&exclude=etcd-readiness')).text).toBe('ok')
    expect((await ask('/readyz?verbose&exclude=etcd&exclude=etcd-readiness&exclude=none')).text).toContain(
      '\n[+]etcd excluded: ok\n',
    )
    expect((await ask('/livez?verbose&exclude=none')).text).toContain(
      '\nwarn: some health checks cannot be excluded: no matches for "none"\n',
    )
    const { status, text } = await ask('/readyz/etcd')
    expect([status, text]).toEqual([500, 'internal server error: the storage cannot be written to\n'])
    expect((await ask('/readyz/ping')).text).toBe('ok')
  })
})
