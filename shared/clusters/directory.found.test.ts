import { describe, expect, it, vi } from 'vitest'
import { SEARCH, SECRET, useDirectory } from './directory.fixtures.ts'
import { description, foundName, OWN_ACCOUNT } from './fake-aws.fixtures.ts'
import type { ClusterConfig } from './index.ts'

describe('the clusters that a tag finds', () => {
  const scene = useDirectory()
  const { directoryOf } = scene
  const namesOf = async (directory: ReturnType<typeof directoryOf>): Promise<readonly string[]> =>
    (await directory.connections()).map(({ name }) => name)
  const OTHER_ROLE = 'arn:aws:iam::210987654321:role/sliceflow-clusters'
  const ELSEWHERE: ClusterConfig = { ...SEARCH, roleArn: OTHER_ROLE }

  it('are those that have it, and keep their connections from search to search', async () => {
    scene.aws.clusters
      .set('a', description({ manage: 'yes' }))
      .set('b', description({ manage: 'no' }))
      .set('c', description())
    const directory = directoryOf(SEARCH)
    const [first, ...others] = await directory.connections()
    expect([first?.name, others]).toEqual([foundName('a'), []])
    scene.aws.clusters.set('d', description({ manage: 'yes' }))
    const again = await directory.connections()
    expect(again.map(({ name }) => name)).toEqual([foundName('a'), foundName('d')])
    expect(again[0]).toBe(first)
  })

  it('cost one request for all of them, and one for each that is called', async () => {
    for (let index = 0; index < 60; index++)
      scene.aws.clusters.set(`c${index}`, description({ manage: 'yes' }))
    const directory = directoryOf(SEARCH)
    const found = await directory.connections()
    expect([found.length, scene.aws.asked]).toEqual([60, ['clusters']])
    const one = found.find(({ name }) => name === foundName('c7'))
    await one?.credentials()
    vi.advanceTimersByTime(59_000)
    await one?.credentials()
    expect(scene.aws.asked.filter((what) => what.startsWith('cluster'))).toEqual(['clusters', 'cluster c7'])
  })

  it('have names of their own where accounts and regions have clusters of one name', async () => {
    scene.aws.clusters.set('main', description({ manage: 'yes' }))
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
    scene.aws.clusters
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
    expect(scene.log).toMatch(/"cluster":"b-eu-west-1-123456789012".*no name.*is no name: give letters/)
    expect(scene.log).toMatch(/"cluster":"c-eu-west-1-123456789012".*ends as names without an alias do/)
    expect(await namesOf(directoryOf(SEARCH))).toContain(foundName('a'))
  })

  it('have another connection by another name, and one that says so', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes', name: 'before' }))
    const directory = directoryOf({ ...SEARCH, nameTag: 'name' })
    const [before] = await directory.connections()
    scene.aws.clusters.set('a', description({ manage: 'yes', name: 'after' }))
    const [after] = await directory.connections()
    expect([before?.name, after?.name]).toEqual(['before', 'after'])
    expect(scene.log).toMatch(/"cluster":"after","before":"before".*another name by now/)
  })

  it('are those of before while the search fails, and listed ones do not mind', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, SEARCH)
    await directory.connections()
    scene.aws.fail(new Error('throttled'))
    expect(await namesOf(directory)).toEqual(['edge', foundName('a')])
    expect(scene.log).toContain('throttled')
  })

  it('are those of the other accounts where one denies the search, each time', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes' }))
    const { taggedClusters } = scene.aws
    const denied = new Error('AccessDenied')
    scene.aws.taggedClusters = async (tag, place) => {
      if (place.roleArn !== undefined) throw denied
      return taggedClusters(tag, place)
    }
    const directory = directoryOf(ELSEWHERE, SEARCH)
    for (let time = 0; time < 2; time++) {
      expect(await namesOf(directory)).toEqual([foundName('a')])
      expect(directory.problems().unsearched).toEqual([denied])
    }
    expect(scene.log).toContain(`"roleArn":"${OTHER_ROLE}"`)
    scene.aws.taggedClusters = taggedClusters
    expect(await namesOf(directory)).toEqual(['a-eu-west-1-210987654321', foundName('a')])
    expect(directory.problems().unsearched).toEqual([])
  })

  it('leave a name to the listed cluster that has it, and say so', async () => {
    scene.aws.clusters
      .set('x', description({ manage: 'yes', name: 'edge' }))
      .set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, { ...SEARCH, nameTag: 'name' })
    const found = await directory.connections()
    expect(found.map(({ name, server }) => [name, server.host])).toEqual([
      ['edge', 'edge.secret.invalid'],
      [foundName('a'), 'a.eu-west-1.eks.amazonaws.com'],
    ])
    expect(directory.problems().ambiguous.size).toBe(0)
    expect(scene.log).toMatch(/"cluster":"edge".*a cluster with the tag has the name of a listed one/)
    expect(scene.log).not.toContain('"cluster":"a"')
  })

  it('are left out where two have one alias, and only those', async () => {
    scene.aws.clusters
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
    expect(scene.log).toMatch(/"cluster":"twin".*two clusters with the tag have this name/)
    scene.aws.clusters.set('c', description({ manage: 'yes' }))
    expect(await namesOf(directory)).toEqual(['edge', 'twin', foundName('b'), foundName('c')])
    expect(directory.problems().ambiguous.size).toBe(0)
  })

  it('are there once where two tags find one, whichever tag it keeps', async () => {
    const directory = directoryOf(SEARCH, { ...SEARCH, tagKey: 'twin', tagValue: undefined })
    const states: Record<string, string>[] = [{ manage: 'yes', twin: '' }, { twin: '' }, { manage: 'yes' }]
    for (const tags of states) {
      scene.aws.clusters.set('a', description(tags))
      expect(await namesOf(directory)).toEqual([foundName('a')])
      expect(directory.problems().ambiguous.size).toBe(0)
    }
  })

  it('may be more than are known while no search has succeeded', async () => {
    scene.aws.clusters.set('a', description({ manage: 'yes' }))
    const directory = directoryOf(SECRET, SEARCH)
    expect(directory.problems()).toEqual({ ambiguous: new Map(), unsearched: [] })
    scene.aws.fail(new Error('throttled'))
    expect(await namesOf(directory)).toEqual(['edge'])
    expect(directory.problems().unsearched).toEqual([new Error('throttled')])
    scene.aws.fail(undefined)
    await directory.connections()
    scene.aws.fail(new Error('throttled'))
    await directory.connections()
    expect(directory.problems().unsearched).toEqual([])
  })
})
