import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../telemetry/index.ts'
import { createFakeAws, description, type FakeAws, foundName, OWN_ACCOUNT } from './fake-aws.fixtures.ts'
import { type ClusterConfig, createClusterDirectory } from './index.ts'

const ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:edge-AbCdEf'
const SECRET: ClusterConfig = { name: 'edge', kind: 'secret', secretArn: ARN }
const SEARCH: ClusterConfig = { kind: 'discover', region: 'eu-west-1', tagKey: 'manage', tagValue: 'yes' }

describe('the clusters that a tag finds', () => {
  let aws: FakeAws
  let log: string

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    aws = createFakeAws()
    log = ''
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const logger = createLogger({
    write: (line) => {
      log += line
    },
  })
  const directoryOf = (...clusters: ClusterConfig[]) => createClusterDirectory({ clusters, aws, logger })
  const namesOf = async (directory: ReturnType<typeof directoryOf>): Promise<readonly string[]> =>
    (await directory.connections()).map(({ name }) => name)
  const OTHER_ROLE = 'arn:aws:iam::210987654321:role/sliceflow-clusters'
  const ELSEWHERE: ClusterConfig = { ...SEARCH, roleArn: OTHER_ROLE }

  it('are those that have it, and keep their connections from search to search', async () => {
    aws.clusters
      .set('a', description({ manage: 'yes' }))
      .set('b', description({ manage: 'no' }))
      .set('c', description())
    const directory = directoryOf(SEARCH)
    const [first, ...others] = await directory.connections()
    expect([first?.name, others]).toEqual([foundName('a'), []])
    aws.clusters.set('d', description({ manage: 'yes' }))
    const again = await directory.connections()
    expect(again.map(({ name }) => name)).toEqual([foundName('a'), foundName('d')])
    expect(again[0]).toBe(first)
  })

  it('cost one request for all of them, and one for each that is called', async () => {
    for (let index = 0; index < 60; index++) aws.clusters.set(`c${index}`, description({ manage: 'yes' }))
    const directory = directoryOf(SEARCH)
    const found = await directory.connections()
    expect([found.length, aws.asked]).toEqual([60, ['clusters']])
    const one = found.find(({ name }) => name === foundName('c7'))
    await one?.credentials()
    vi.advanceTimersByTime(59_000)
    await one?.credentials()
    expect(aws.asked.filter((what) => what.startsWith('cluster'))).toEqual(['clusters', 'cluster c7'])
  })

  it('have names of their own where accounts and regions have clusters of one name', async () => {
    aws.clusters.set('main', description({ manage: 'yes' }))
    const directory = directoryOf(SEARCH, { ...SEARCH, region: 'us-east-1' }, ELSEWHERE)
    expect(await namesOf(directory)).toEqual([
      `main-eu-west-1-${OWN_ACCOUNT}`,
      `main-us-east-1-${OWN_ACCOUNT}`,
      'main-eu-west-1-210987654321',
    ])
    expect(directory.problems().ambiguous.size).toBe(0)
  })

  it('are called as the tag says that names them, and no cluster takes the name of another', async () => {
    const named = (name: string) => description({ manage: 'yes', name })
    aws.clusters
      .set('a', named('orders'))
      .set('b', named('no name'))
      .set('c', named(foundName('a')))
      .set('d', description({ manage: 'yes' }))
    expect(await namesOf(directoryOf({ ...SEARCH, nameTag: 'name' }))).toEqual([
      'orders',
      foundName('b'),
      foundName('c'),
      foundName('d'),
    ])
    expect(log).toMatch(/"cluster":"b-eu-west-1-123456789012".*no name.*is no name: give letters/)
    expect(log).toMatch(/"cluster":"c-eu-west-1-123456789012".*ends as names without an alias do/)
    expect(await namesOf(directoryOf(SEARCH))).toContain(foundName('a'))
  })

  it('have another connection by another name, and one that says so', async () => {
    aws.clusters.set('a', description({ manage: 'yes', name: 'before' }))
    const directory = directoryOf({ ...SEARCH, nameTag: 'name' })
    const [before] = await directory.connections()
    aws.clusters.set('a', description({ manage: 'yes', name: 'after' }))
    const [after] = await directory.connections()
    expect([before?.name, after?.name]).toEqual(['before', 'after'])
    expect(log).toMatch(/"cluster":"after","before":"before".*another name by now/)
  })

  it('are those of before while the search fails, and listed ones do not mind', async () => {
    aws.clusters.set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, SEARCH)
    await directory.connections()
    aws.fail(new Error('throttled'))
    expect(await namesOf(directory)).toEqual(['edge', foundName('a')])
    expect(log).toContain('throttled')
  })

  it('are those of the other accounts where one denies the search, each time', async () => {
    aws.clusters.set('a', description({ manage: 'yes' }))
    const { taggedClusters } = aws
    const denied = new Error('AccessDenied')
    aws.taggedClusters = async (tag, place) => {
      if (place.roleArn !== undefined) throw denied
      return taggedClusters(tag, place)
    }
    const directory = directoryOf(ELSEWHERE, SEARCH)
    for (let time = 0; time < 2; time++) {
      expect(await namesOf(directory)).toEqual([foundName('a')])
      expect(directory.problems().unsearched).toEqual([denied])
    }
    expect(log).toContain(`"roleArn":"${OTHER_ROLE}"`)
    aws.taggedClusters = taggedClusters
    expect(await namesOf(directory)).toEqual(['a-eu-west-1-210987654321', foundName('a')])
    expect(directory.problems().unsearched).toEqual([])
  })

  it('leave a name to the listed cluster that has it, and say so', async () => {
    aws.clusters
      .set('x', description({ manage: 'yes', name: 'edge' }))
      .set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, { ...SEARCH, nameTag: 'name' })
    const found = await directory.connections()
    expect(found.map(({ name, server }) => [name, server.host])).toEqual([
      ['edge', 'edge.secret.invalid'],
      [foundName('a'), 'a.eu-west-1.eks.amazonaws.com'],
    ])
    expect(directory.problems().ambiguous.size).toBe(0)
    expect(log).toMatch(/"cluster":"edge".*a cluster with the tag has the name of a listed one/)
    expect(log).not.toContain('"cluster":"a"')
  })

  it('are left out where two have one alias, and only those', async () => {
    aws.clusters
      .set('a', description({ manage: 'yes', name: 'twin' }))
      .set('b', description({ manage: 'yes' }))
      .set('c', description({ manage: 'yes', name: 'twin' }))
    const directory = directoryOf(SECRET, { ...SEARCH, nameTag: 'name' })
    expect(await namesOf(directory)).toEqual(['edge', foundName('b')])
    const arn = (name: string): string => `arn:aws:eks:eu-west-1:${OWN_ACCOUNT}:cluster/${name}`
    expect([...directory.problems().ambiguous]).toEqual([
      [
        'twin',
        `several clusters are called "twin": ${arn('a')} and ${arn('c')}; give all but one another value of the tag that names them, or none`,
      ],
    ])
    expect(log).toMatch(/"cluster":"twin".*two clusters with the tag have this name/)
    aws.clusters.set('c', description({ manage: 'yes' }))
    expect(await namesOf(directory)).toEqual(['edge', 'twin', foundName('b'), foundName('c')])
    expect(directory.problems().ambiguous.size).toBe(0)
  })

  it('are there once where two tags find one, whichever tag it keeps', async () => {
    const directory = directoryOf(SEARCH, { ...SEARCH, tagKey: 'twin', tagValue: undefined })
    const states: Record<string, string>[] = [{ manage: 'yes', twin: '' }, { twin: '' }, { manage: 'yes' }]
    for (const tags of states) {
      aws.clusters.set('a', description(tags))
      expect(await namesOf(directory)).toEqual([foundName('a')])
      expect(directory.problems().ambiguous.size).toBe(0)
    }
  })

  it('may be more than are known while no search has succeeded', async () => {
    aws.clusters.set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, SEARCH)
    expect(directory.problems()).toEqual({ ambiguous: new Map(), unsearched: [] })
    aws.fail(new Error('throttled'))
    expect(await namesOf(directory)).toEqual(['edge'])
    expect(directory.problems().unsearched).toEqual([new Error('throttled')])
    aws.fail(undefined)
    await directory.connections()
    aws.fail(new Error('throttled'))
    await directory.connections()
    expect(directory.problems().unsearched).toEqual([])
  })
})
