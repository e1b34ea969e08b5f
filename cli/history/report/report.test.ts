import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import type { RecordingLine } from '../../../shared/recording/index.ts'
import { type TimelineFilter, timelineOf } from '../index.ts'
import { at, endpoint, gone, stream, write } from '../lines.fixtures.ts'
import { createHistoryReport } from './report.ts'

async function pageOf(lines: readonly RecordingLine[], filter: TimelineFilter = {}) {
  const report = createHistoryReport('eu-1 shop/web')
  for await (const entry of timelineOf(stream(...lines), filter)) report.add(entry)
  return parseHTML(report.page()).document
}

function story(pod: string): RecordingLine[] {
  const first = endpoint(1, { targetRef: { kind: 'Pod', namespace: 'shop', name: pod, uid: 'u1' } })
  return [
    write(1, 'web-a - 1', { came: [first, endpoint(2)], trigger: at(0.9) }),
    write(3, 'web-a 1 2', { went: [{ endpoint: first, cause: 'Gone' }], trigger: at(2.5), hold: 'released' }),
    gone(5, 'web-a', '2'),
  ]
}

describe('the page of a Service', () => {
  it('reports in words, when, all that the command prints', async () => {
    const document = await pageOf(story('web-1'))
    const rows = [...document.querySelectorAll('.words tbody tr')].map(({ textContent }) =>
      textContent?.trim(),
    )
    expect(rows).toHaveLength(6)
    expect(rows[0]).toMatch(/^11-22 03:12:01\s*10\.1\.2\.1 came/)
    expect(rows.join('\n')).toContain('deleted by another client')
  })

  it('draws spans, what stands out, and how late writes were', async () => {
    const document = await pageOf(story('web-1'))
    const titles = [...document.querySelectorAll('.wide svg title')].map(({ textContent }) => textContent)
    expect(titles).toContain('web-1 10.1.2.1: ready, 2026-11-22T03:12:01.000Z to 2026-11-22T03:12:03.000Z')
    expect(titles).toContain('plan released')
    expect(titles).toContain('web-a, 2026-11-22T03:12:03.000Z: 500 ms')
  })

  it('shows the part that is asked for', async () => {
    const document = await pageOf(story('web-1'), { since: Date.parse(at(2)), until: Date.parse(at(4)) })
    expect(document.querySelector('.words')?.textContent).not.toContain('10.1.2.1 came')
  })

  it('says so where nothing happened', async () => {
    const document = await pageOf([])
    expect(document.querySelectorAll('figure')).toHaveLength(1)
    expect(document.querySelector('h1')?.textContent).toBe('What happened to eu-1 shop/web')
  })

  it('takes names that a tenant chose for text', async () => {
    const evil = '"><script>alert(1)</script>'
    const document = await pageOf(story(evil))
    expect(document.querySelectorAll('script')).toHaveLength(0)
    expect(document.querySelector('.words')?.textContent).toContain(evil)
  })
})
