import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'
import { DIFFERENCES } from './recordings/differences.ts'
import { asRecorded, normalise } from './recordings/normalise.ts'
import { type RecordedRequest, type RecordedStep, readRecording } from './recordings/recording.ts'
import { type Answer, replay } from './recordings/replay.ts'
import { onlyServed } from './recordings/served.ts'

const TOKENS = {
  'bob-token': { username: 'bob', uid: 'uid-bob', groups: ['devs'] },
  'admin-token': { username: 'admin', uid: 'uid-admin', groups: ['system:masters'] },
}

type Recorded = RecordedRequest & Required<Pick<RecordedRequest, 'name' | 'want'>>

/**
 * Some 650 requests with the answers of kube-apiserver 1.36.4, and those between them that made what they are
 * about, made again: a difference that is not known fails, and so does a known one that is gone.
 */
describe.each(Object.entries(DIFFERENCES))('the recorded requests: %s', (section, differences) => {
  const steps = readRecording(section)
  const recorded = recordedOf(steps)
  let scene: TestServer
  let answers: ReadonlyMap<string, Answer>
  let own: { address: string; port: number }

  beforeAll(async () => {
    scene = await TestServer.start({
      authorization: 'RBAC',
      apis: { crds: true, apiServices: true },
      authentication: { tokens: TOKENS, anonymous: true },
      controllers: ['clusterrole-aggregation'],
    })
    const { body } = await scene.client.get('/api/v1/namespaces/default/endpoints/kubernetes')
    own = { address: body.subsets?.[0].addresses[0].ip ?? 'none', port: Number(scene.url.port) }
    answers = await replay(steps, scene)
  }, 120_000)
  afterAll(() => scene?.[Symbol.asyncDispose]())

  const shown = ({ status, body }: Answer): string =>
    JSON.stringify({ status, body: normalise(asRecorded(onlyServed(body), own)) })

  const differs = ({ name, want }: Recorded): boolean => {
    const answer = answers.get(name)
    return answer === undefined || shown(answer) !== shown(want)
  }

  it('are answered as kube-apiserver does, but for the differences that are known', () => {
    const unknown = recorded.filter((step) => differs(step) && !Object.hasOwn(differences, step.name))
    const details = unknown.map(({ name, want }) => {
      const answer = answers.get(name)
      return { name, want: shown(want), have: answer && shown(answer) }
    })
    expect(details).toEqual([])
  })

  it('still have every difference that is known', () => {
    const gone = recorded.filter((step) => Object.hasOwn(differences, step.name) && !differs(step))
    const known = new Set(recorded.map(({ name }) => name))
    const missing = Object.keys(differences).filter((name) => !known.has(name))
    expect({ gone: gone.map(({ name }) => name), missing }).toEqual({ gone: [], missing: [] })
  })
})

function recordedOf(steps: readonly RecordedStep[]): readonly Recorded[] {
  return steps.filter((step): step is Recorded => 'name' in step && step.want !== undefined)
}
