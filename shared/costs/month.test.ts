import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SIZE, type DeploymentSize, monthOf } from './index.ts'

const SMALL = { ...DEFAULT_SIZE, clusters: 3, pods: 3000, services: 150, changesPerSecond: 0.5 }

const sizes: fc.Arbitrary<DeploymentSize> = fc.record({
  clusters: fc.integer({ min: 1, max: 10_000 }),
  pods: fc.nat({ max: 1e7 }),
  services: fc.nat({ max: 1e6 }),
  changesPerSecond: fc.double({ min: 0, max: 1e5, noNaN: true }),
  auditInterval: fc.integer({ min: 600, max: 604_800 }),
  batchWindow: fc.integer({ min: 0, max: 300 }),
  batchSize: fc.integer({ min: 1, max: 10_000 }),
  maximumConcurrency: fc.integer({ min: 2, max: 1000 }),
  minimumPollers: fc.integer({ min: 0, max: 200 }),
  maximumPollers: fc.integer({ min: 0, max: 2000 }),
  functionMemory: fc.integer({ min: 128, max: 10_240 }),
  relayShards: fc.integer({ min: 1, max: 100 }),
  relayCpu: fc.constantFrom(256, 512, 1024, 2048, 4096),
  relayMemory: fc.integer({ min: 512, max: 30_720 }),
  tracing: fc.boolean(),
  recording: fc.double({ min: 0, max: 1, noNaN: true }),
  recordingRetention: fc.integer({ min: 1, max: 3650 }),
  logRetention: fc.integer({ min: 1, max: 365 }),
  natGateways: fc.integer({ min: 0, max: 3 }),
  canary: fc.boolean(),
  standby: fc.boolean(),
  vpcEndpoints: fc.nat({ max: 20 }),
  zones: fc.integer({ min: 1, max: 6 }),
  encryptionKey: fc.boolean(),
  fleetClusters: fc.nat({ max: 1000 }),
  fleetServices: fc.nat({ max: 1e5 }),
  fleetChangesPerSecond: fc.double({ min: 0, max: 1e4, noNaN: true }),
})

const dollarsOf = (size: DeploymentSize, what: string): number =>
  monthOf(size).lines.find((line) => line.what === what)?.dollars ?? Number.NaN

describe('the costs of a month', () => {
  it('are the sum of their lines, and a line the sum of its terms, of any size', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const { lines, dollars } = monthOf(size)
        for (const { terms, dollars: ofLine, why } of lines) {
          expect(terms.reduce((sum, { quantity, price }) => sum + quantity * price, 0)).toBeCloseTo(ofLine)
          expect(terms.every(({ quantity }) => Number.isFinite(quantity) && quantity >= 0)).toBe(true)
          expect(why).not.toBe('')
        }
        expect(lines.reduce((sum, line) => sum + line.dollars, 0)).toBeCloseTo(dollars)
      }),
    )
  })

  it('never fall with more work, except where the relay sums up clusters', () => {
    const more = fc.constantFrom(
      ...(['pods', 'services', 'changesPerSecond', 'relayShards', 'recording', 'zones'] as const),
      ...(['fleetClusters', 'fleetServices', 'fleetChangesPerSecond'] as const),
    )
    fc.assert(
      fc.property(sizes, more, fc.double({ min: 1, max: 3, noNaN: true }), (size, name, times) => {
        const larger = { ...size, [name]: size[name] * times }
        // More Services with the same number of Pods are smaller, with smaller slices.
        if (name === 'services') Object.assign(larger, { pods: size.pods * times })
        expect(monthOf(larger).dollars).toBeGreaterThanOrEqual(monthOf(size).dollars * 0.999_999)
      }),
    )
    expect(dollarsOf({ ...SMALL, clusters: 21 }, 'CloudWatch metrics')).toBeLessThan(
      dollarsOf({ ...SMALL, clusters: 20 }, 'CloudWatch metrics'),
    )
  })

  it('match a computation by hand', () => {
    const messages = 0.5 * 730 * 3600
    const requests = 3 * messages + 3 * ((150 * 730) / 24) + (2 * 5 * 730 * 3600) / 20
    expect(dollarsOf(SMALL, 'SQS')).toBeCloseTo((requests / 1e6) * 0.5, 6)
    expect(dollarsOf(SMALL, 'relay on Fargate')).toBeCloseTo(
      730 * (0.25 * 0.03238 + 0.5 * 0.00356 + 0.005),
      6,
    )
    expect(dollarsOf(SMALL, 'NAT gateways')).toBe(0)
    expect(dollarsOf({ ...SMALL, recording: 1 }, 'recording in S3')).toBeCloseTo(
      (messages / 1e6) * 5 + messages * 0.5e-6 * ((30 * 24) / 730) * 0.023,
      6,
    )
  })

  it('fall with a batch window, by what calls cost, and rise with pollers of one’s own', () => {
    const fleet = { ...SMALL, clusters: 40, services: 0, changesPerSecond: 20, tracing: true }
    const batched = { ...fleet, batchWindow: 1 }
    const keys = (20 * 730 * 3600) / 1e6
    // Five pollers gather four keys a second each; the relay goes on to send each key by itself.
    const calls = keys / 4
    const polls = (10 * 730 * 3600) / 20 / 1e6
    expect(dollarsOf(fleet, 'SQS')).toBeCloseTo((3 * keys + polls) * 0.5, 6)
    expect(dollarsOf(batched, 'SQS')).toBeCloseTo((keys + 2 * calls + polls) * 0.5, 6)
    const saved = dollarsOf(fleet, 'Lambda') - dollarsOf(batched, 'Lambda')
    expect(saved).toBeCloseTo((keys - calls) * 0.2, 6)
    expect(dollarsOf(batched, 'X-Ray')).toBeLessThan(dollarsOf(fleet, 'X-Ray'))
    expect(dollarsOf(batched, 'CloudWatch logs')).toBeLessThan(dollarsOf(fleet, 'CloudWatch logs') / 2)
    const provisioned = { ...fleet, minimumPollers: 2, maximumPollers: 20 }
    expect(dollarsOf(provisioned, 'Lambda') - dollarsOf(fleet, 'Lambda')).toBeCloseTo(2 * 730 * 0.00925, 6)
  })

  it('count a request to send each key, however many a poller receives at once', () => {
    const many = { ...SMALL, services: 0, changesPerSecond: 1000 }
    const keys = 1000 * 730 * 3600
    expect(dollarsOf(many, 'SQS')).toBeGreaterThan((keys / 1e6) * 0.5)
    expect(dollarsOf({ ...many, batchWindow: 60, batchSize: 10_000 }, 'SQS')).toBeCloseTo(
      ((1.2 * keys + (10 * 730 * 3600) / 20) / 1e6) * 0.5,
      4,
    )
  })

  it('of VPC endpoints are charged by hour and zone, and the relay then needs no public address', () => {
    const inVpc = { ...SMALL, vpcEndpoints: 5, zones: 3 }
    const hours = 730 * 5 * 3
    const messages = 0.5 * 730 * 3600 + (150 * 730) / 24
    const logs = 730 * 60 * (900 + 3 * 1450)
    expect(dollarsOf(inVpc, 'VPC endpoints')).toBeCloseTo(
      hours * 0.01 + 1e-9 * (messages * 1500 + logs) * 0.01,
      6,
    )
    expect(dollarsOf(SMALL, 'VPC endpoints')).toBe(0)
    expect(dollarsOf(SMALL, 'relay on Fargate') - dollarsOf(inVpc, 'relay on Fargate')).toBeCloseTo(
      730 * 0.005,
      6,
    )
    expect(dollarsOf(inVpc, 'VPC flow logs')).toBe(0)
  })

  it('of a KMS key are the key and its calls by AWS’ formula', () => {
    const calls = ((730 * 3600) / 300) * (2 * 3 + 2)
    expect(dollarsOf({ ...SMALL, encryptionKey: true }, 'KMS key')).toBeCloseTo(1 + (calls / 1e4) * 0.03, 6)
    expect(dollarsOf(SMALL, 'KMS key')).toBe(0)
  })

  it('of cluster sets are one sync per change and its writes in each cluster, and 0 without a set', () => {
    const fleet = { ...SMALL, fleetClusters: 5, fleetServices: 500, fleetChangesPerSecond: 2 }
    const [changes, audited] = [2 * 730 * 3600, (500 * 730) / 24]
    const calls = changes + audited
    const gb = 1e-9 * (changes * (2227 + 4607 + 2 * 0.73 * 5 * 2227) + audited * 4.84 * 5 * 1944)
    expect(dollarsOf(fleet, 'cluster sets')).toBeCloseTo(
      (3 * calls * 0.5 + calls * 0.2) / 1e6 +
        calls * 0.1 * 0.5 * 0.0000133334 +
        1e-9 * (calls * 1100 + calls * 450) * 0.5 +
        gb * 0.02 +
        5 * 0.3 +
        3 * 0.1,
      6,
    )
    expect(dollarsOf(SMALL, 'cluster sets')).toBe(0)
  })

  it('of traces are those of the first call of each second and one of twenty others; none by default', () => {
    expect(dollarsOf(SMALL, 'X-Ray')).toBe(0)
    const traced = { ...SMALL, services: 0, tracing: true }
    expect(dollarsOf(traced, 'X-Ray')).toBeCloseTo(((0.5 * 730 * 3600) / 1e6) * 5, 6)
    expect(dollarsOf({ ...traced, changesPerSecond: 21 }, 'X-Ray')).toBeCloseTo(
      ((2 * 730 * 3600) / 1e6) * 5,
      6,
    )
  })

  it('of a standby are those of a deployment without changes, and of the changes that its relay watches', () => {
    const busy = { ...SMALL, changesPerSecond: 20 }
    const standby = { ...busy, standby: true }
    for (const what of ['SQS', 'Lambda', 'relay on Fargate', 'transfer of the audit'])
      expect([what, dollarsOf(standby, what)]).toEqual([
        what,
        dollarsOf({ ...busy, changesPerSecond: 0 }, what),
      ])
    const watched = 20 * 730 * 3600 * (5000 + 1640 + 242 * 20)
    expect(dollarsOf(standby, 'transfer of changes')).toBeCloseTo(1e-9 * watched * 0.02, 6)
    expect(dollarsOf(standby, 'CloudWatch metrics')).toBeCloseTo(35 * 0.3, 6)
  })

  it('of a canary have traces only where the functions’ calls are traced', () => {
    const [plain, traced] = [false, true].map((tracing) =>
      dollarsOf({ ...SMALL, canary: true, tracing }, 'canary'),
    )
    expect(Number(traced) - Number(plain)).toBeCloseTo(((730 * 60) / 1e6) * 5, 6)
  })

  it('of changes grow with their number and hardly with a Service’s size, which the audit reads whole', () => {
    const large = { ...SMALL, pods: 3_000_000, services: 150 }
    const ratio = (what: string): number => dollarsOf(large, what) / dollarsOf(SMALL, what)
    expect(ratio('transfer of changes')).toBeLessThan(4)
    expect(ratio('transfer of the audit')).toBeGreaterThan(900)
  })
})
