import type { buildApp } from 'fauxqs'
import { QUEUE_MODULES } from './queue-modules.ts'

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>

export type SqsStore = Stores['sqsStore']

export type SqsQueue = NonNullable<ReturnType<SqsStore['getQueueByName']>>

/** The parts of an HTTP request that fauxqs' actions read. */
interface RequestHead {
  readonly headers: { readonly host?: string; readonly authorization?: string }
}

/** One action of SQS as fauxqs implements it: it checks its input, and throws an error with SQS' code. */
export type SqsAction = (input: object, store: SqsStore, request: RequestHead) => unknown

const ACTIONS = [
  'createQueue',
  'sendMessage',
  'sendMessageBatch',
  'receiveMessage',
  'deleteMessageBatch',
  'changeMessageVisibilityBatch',
  'getQueueAttributes',
  'getQueueUrl',
] as const

export type SqsActions = Readonly<Record<(typeof ACTIONS)[number], SqsAction>>

/**
 * Loads fauxqs' store and actions, and nothing of its server. The package exports the server alone, with S3,
 * SNS, Fastify and SDK parts that take 30 MB, so its modules are named by their place; package.json therefore
 * names one version exactly.
 */
export async function openStore(): Promise<{ readonly store: SqsStore; readonly actions: SqsActions }> {
  const load = (module: string) => import(new URL(`sqs/${module}.js`, QUEUE_MODULES).href)
  const { SqsStore: Store }: { SqsStore: new () => SqsStore } = await load('sqsStore')
  const loaded = ACTIONS.map(async (name): Promise<[string, SqsAction]> => {
    const module: Readonly<Record<string, SqsAction>> = await load(`actions/${name}`)
    const action = module[name]
    if (action === undefined) throw new Error(`failed to load fauxqs: it has no action ${name}`)
    return [name, action]
  })
  return { store: new Store(), actions: Object.fromEntries(await Promise.all(loaded)) as SqsActions }
}
