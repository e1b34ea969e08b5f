import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestServer } from '../../../testing/test-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start({ controllers: [] })
})
afterAll(() => server[Symbol.asyncDispose]())

const lines = async (name: string): Promise<string[]> => {
  const { text } = await server.ask('GET', '/metrics')
  return text.split('\n').filter((line) => line.startsWith(`${name}{`))
}

describe('requests', () => {
  it('are counted by verb, resource, scope, dry run and code', async () => {
    const path = '/api/v1/namespaces/default/configmaps'
    const body = { metadata: { name: 'counted' } }
    await server.ask('POST', `${path}?dryRun=All`, { body })
    await server.ask('GET', path)
    await server.ask('GET', '/api/v1/configmaps')
    await server.ask('GET', `${path}/none`)
    const counted = await lines('apiserver_request_total')
    const labels = (text: string): string => text.replaceAll("'", '"')
    for (const line of [
      "{code='201',component='apiserver',dry_run='All',group='',resource='configmaps',scope='resource',subresource='',verb='POST',version='v1'} 1",
      "{code='200',component='apiserver',dry_run='',group='',resource='configmaps',scope='namespace',subresource='',verb='LIST',version='v1'} 1",
      "{code='200',component='apiserver',dry_run='',group='',resource='configmaps',scope='cluster',subresource='',verb='LIST',version='v1'} 1",
      "{code='404',component='apiserver',dry_run='',group='',resource='configmaps',scope='resource',subresource='',verb='GET',version='v1'} 1",
    ]) {
      expect(counted).toContain(`apiserver_request_total${labels(line)}`)
    }
    const { text, headers } = await server.ask('GET', '/metrics')
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/)
    for (const name of [
      'apiserver_current_inflight_requests{request_kind="readOnly"}',
      'apiserver_storage_objects{resource="leases.coordination.k8s.io"}',
      'process_resident_memory_bytes',
    ]) {
      expect(text).toContain(`\n${name} `)
    }
    expect(await lines('apiserver_resource_objects')).toContain(
      'apiserver_resource_objects{group="",resource="configmaps"} 0',
    )
  })

  it('for what is not there add no series of their own, whatever they are called', async () => {
    await server.ask('GET', '/api/v1/none-0')
    await server.ask('GET', '/none-0/a')
    const before = (await lines('apiserver_request_total')).length
    for (let each = 1; each < 6; each++) {
      await server.ask('GET', `/api/v1/none-${each}`)
      await server.ask('GET', `/none-${each}/a`)
      await server.ask('GET', `/apis/none-${each}.example.com/v1/a`)
    }
    expect((await lines('apiserver_request_total')).length).toBe(before)
  })

  it('of a histogram count up to all of them', async () => {
    await server.ask('GET', '/version')
    const buckets = await lines('apiserver_request_duration_seconds_bucket')
    const ofVersion = buckets.filter((line) => line.includes('subresource="/version"'))
    const counts = ofVersion.map((line) => Number(line.split(' ').at(-1)))
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(ofVersion.at(-1)).toContain('le="+Inf"')
    const [total] = (await lines('apiserver_request_duration_seconds_count')).filter((line) =>
      line.includes('subresource="/version"'),
    )
    expect(total?.split(' ').at(-1)).toBe(String(counts.at(-1)))
  })
})
