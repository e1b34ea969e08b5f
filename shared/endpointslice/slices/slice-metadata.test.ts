import { describe, expect, it } from 'vitest'
import type { Named } from '../objects/validate.ts'
import { resolveOptions } from '../options.ts'
import { aService } from '../plan.fixtures.ts'
import type { Service } from '../types.ts'
import { SliceMetadata } from './slice-metadata.ts'

describe('SliceMetadata', () => {
  const metadataFor = (name: string) =>
    new SliceMetadata(aService({}, { name }) as Named<Service>, resolveOptions())

  it('generates names with a dash, unless that would be no DNS name', () => {
    expect(metadataFor('web').generateName).toBe('web-')
    expect(metadataFor('Web').generateName).toBe('Web')
    expect(metadataFor('a'.repeat(252)).generateName).toBe(`${'a'.repeat(252)}-`)
    expect(metadataFor('a'.repeat(253)).generateName).toBe('a'.repeat(253))
  })

  it('keeps everything of an updated slice but the trigger time', () => {
    const metadata = {
      name: 'web-1',
      resourceVersion: '5',
      labels: { stray: 'x' },
      annotations: { note: 'x', 'endpoints.kubernetes.io/last-change-trigger-time': '2020-01-01T00:00:00Z' },
    }
    expect(metadataFor('web').forUpdate(metadata, undefined)).toEqual({
      ...metadata,
      annotations: { note: 'x' },
    })
  })

  it('tells a label of another value, one too many and one too few', () => {
    const service = aService({}, { labels: { a: '1', b: '' } }) as Named<Service>
    const metadata = new SliceMetadata(service, resolveOptions())
    const differ = (labels: Record<string, string>) =>
      metadata.labelsDiffer({ metadata: { labels }, addressType: 'IPv4', endpoints: [] })
    expect(differ({ a: '1', b: '', 'kubernetes.io/service-name': 'anything' })).toBe(false)
    expect(differ({ a: '2', b: '' })).toBe(true)
    expect(differ({ a: '1' })).toBe(true)
    expect(differ({ a: '1', b: '', c: '' })).toBe(true)
    expect(differ({ a: '1', c: '' })).toBe(true)
  })
})
