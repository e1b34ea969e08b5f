import {
  type ControlPlaneProcess,
  startControlPlane,
} from '../../../../test/support/control-plane-process.ts'
import { createRandom, type Random } from '../../../../test/support/random.ts'
import { createRawClient, type Json, type RawClient } from '../../../../test/support/raw-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'
const WRITERS = 8
/** Largest number of writes that are acknowledged before the process is killed. */
const LONGEST_ROUND = 300

interface CrashReport {
  /** Writes that were acknowledged. */
  readonly acknowledged: number
  /** Number of events of a watch that is resumed in every round where it ended. */
  readonly events: number
  /** Everything that was not as it must be. */
  readonly problems: readonly string[]
}

/** The state of an object: its uid and value, or that it is not there. */
type State = string
const ABSENT: State = 'absent'
const stateOf = ({ metadata, data }: Json): State => `${metadata.uid} ${data?.value}`

/** Facts that the clients know. All of them must be true of the server after every crash. */
class Knowledge {
  /** State that was acknowledged last, by name, and states that may have come of writes without an answer. */
  readonly objects = new Map<string, { state: State; unanswered: boolean }>()
  /** State by resourceVersion. */
  readonly revisions = new Map<number, State>()
  readonly problems: string[] = []
  newest = 0
  acknowledged = 0

  noteRevision(object: Json, state: State): void {
    const revision = Number(object.metadata.resourceVersion)
    const known = this.revisions.get(revision)
    if (known !== undefined && known !== state) {
      this.problems.push(`resourceVersion ${revision} is of ${known} and of ${state}`)
    }
    this.revisions.set(revision, state)
    this.newest = Math.max(this.newest, revision)
  }
}

/** Starts a server on the folder, writes until it is killed, and looks at what is left after each kill. */
export async function crashRepeatedly(dataDir: string, kills: number, seed: number): Promise<CrashReport> {
  const random = createRandom(seed)
  const knowledge = new Knowledge()
  const watcher = new ResumingWatch(knowledge)
  for (let killed = 0; killed <= kills; killed++) {
    const server = await startControlPlane('--data', dataDir, '--resources', 'generic')
    const client = createRawClient(server.kubeconfig)
    try {
      await checkObjects(client, knowledge, watcher)
      if (killed === kills) break
      const watching = watcher.follow(client)
      await writeUntilKilled(server, client, { knowledge, random })
      await watching
    } finally {
      await server.end('SIGKILL')
      client.close()
    }
  }
  const { acknowledged, problems } = knowledge
  return { acknowledged, events: watcher.events, problems }
}

interface Work {
  readonly knowledge: Knowledge
  readonly random: Random
}

async function writeUntilKilled(server: ControlPlaneProcess, client: RawClient, work: Work): Promise<void> {
  const { knowledge, random } = work
  const enough = knowledge.acknowledged + 1 + random.below(LONGEST_ROUND)
  let isRunning = true
  const writer = async (id: number): Promise<void> => {
    while (isRunning) await write(client, `${id}-${random.below(10)}`, work)
  }
  const ended = Promise.all(
    Array.from({ length: WRITERS }, async (_, id) => {
      // A request that the end of the server cuts off.
      await writer(id).catch(() => undefined)
    }),
  )
  while (knowledge.acknowledged < enough && isRunning) {
    await write(client, `x-${random.below(10)}`, work).catch(() => {
      isRunning = false
    })
  }
  const killed = server.end('SIGKILL')
  isRunning = false
  await Promise.all([killed, ended])
}

/** Creates, updates or deletes; nobody else writes this name meanwhile. */
async function write(client: RawClient, name: string, { knowledge, random }: Work): Promise<void> {
  const known = knowledge.objects.get(name) ?? { state: ABSENT, unanswered: false }
  knowledge.objects.set(name, { ...known, unanswered: true })
  const body = { metadata: { name }, data: { value: String(random.fraction()) } }
  if (known.state !== ABSENT && random.chance(0.3)) {
    const { status } = await client.delete(`${PATH}/${name}`)
    if (status !== 200) throw new Error(`failed to delete ${name}: ${status}`)
    knowledge.objects.set(name, { state: ABSENT, unanswered: false })
  } else {
    const isNew = known.state === ABSENT
    const answer = isNew ? await client.post(PATH, body) : await client.put(`${PATH}/${name}`, body)
    if (answer.status > 201) throw new Error(`failed to write ${name}: ${answer.text}`)
    const state = stateOf(answer.body)
    knowledge.noteRevision(answer.body, state)
    knowledge.objects.set(name, { state, unanswered: false })
  }
  knowledge.acknowledged++
}

/**
 * Checks that every object is as acknowledged, unless a write of it was under way. That write's result counts
 * from now on.
 */
async function checkObjects(client: RawClient, knowledge: Knowledge, watcher: ResumingWatch): Promise<void> {
  const { body } = await client.get(PATH)
  const revision = Number(body.metadata.resourceVersion)
  if (revision < knowledge.newest) {
    knowledge.problems.push(`the server is at ${revision}, after ${knowledge.newest} was acknowledged`)
  }
  const found = new Map<string, State>(body.items.map((item: Json) => [item.metadata.name, stateOf(item)]))
  for (const [name, { state, unanswered }] of knowledge.objects) {
    const now = found.get(name) ?? ABSENT
    if (now !== state && !unanswered) {
      knowledge.problems.push(`${name} is ${now}, after ${state} was acknowledged`)
    }
    knowledge.objects.set(name, { state: now, unanswered: false })
  }
  for (const item of body.items) knowledge.noteRevision(item, stateOf(item))
  await watcher.catchUp(client, revision, found)
}

/** One watch over all crashes: it goes on after the last event that it has seen. */
class ResumingWatch {
  events = 0
  readonly #knowledge: Knowledge
  readonly #state = new Map<string, State>()
  #seen: number | undefined

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge
  }

  /** Takes what happened up to the revision; then the events must have made the state that a list has. */
  async catchUp(client: RawClient, revision: number, listed: ReadonlyMap<string, State>): Promise<void> {
    if (this.#seen === undefined) {
      this.#seen = revision
      for (const [name, state] of listed) this.#state.set(name, state)
      return
    }
    const marker = await client.post(PATH, { metadata: { generateName: 'marker-' } })
    const watch = await client.watch(`${PATH}?resourceVersion=${this.#seen}`)
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
      if (event.object.metadata?.uid === marker.body.metadata.uid) break
      if (!this.#take(event)) break
    }
    watch.close()
    const missing = [...listed].filter(([name, state]) => this.#state.get(name) !== state)
    const surplus = [...this.#state.keys()].filter((name) => !listed.has(name))
    for (const [name, state] of missing)
      this.#knowledge.problems.push(`the watch never reported ${name} ${state}`)
    for (const name of surplus) this.#knowledge.problems.push(`the watch never reported that ${name} is gone`)
    await client.delete(`${PATH}/${marker.body.metadata.name}`)
  }

  /** Follows the watch until the server ends it. */
  async follow(client: RawClient): Promise<void> {
    try {
      const watch = await client.watch(`${PATH}?resourceVersion=${this.#seen}`)
      for (let event = await watch.next(); event !== undefined; event = await watch.next()) this.#take(event)
    } catch {
      // Cut off in the middle of a line.
    }
  }

  #take({ type, object }: Json): boolean {
    if (type === 'ERROR') {
      this.#knowledge.problems.push(`the watch cannot go on after ${this.#seen}: ${object.message}`)
      return false
    }
    this.events++
    const { name, resourceVersion } = object.metadata
    if (Number(resourceVersion) <= (this.#seen ?? 0)) {
      this.#knowledge.problems.push(`the watch tells of ${resourceVersion} after ${this.#seen}`)
    }
    this.#seen = Number(resourceVersion)
    if (name.startsWith('marker-')) return true
    if (type === 'DELETED') this.#state.delete(name)
    else this.#state.set(name, stateOf(object))
    this.#knowledge.noteRevision(object, type === 'DELETED' ? `${stateOf(object)} deleted` : stateOf(object))
    return true
  }
}
