import { type Library, overload } from '../library/index.ts'
import { type CelValue, Opaque, sizeOf } from '../values/value.ts'

/** Question of an expression to the server's authorizer. It has either a resource or a path. */
interface AccessQuestion {
  /** Service account that it is about; absent: the user of the request. */
  readonly account: { readonly namespace: string; readonly name: string } | undefined
  readonly verb: string
  readonly path: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
  /** Empty where the authorizer has not failed. */
  readonly error: string
}

export type AskAccess = (question: AccessQuestion) => AccessDecision

const NAME = 'kubernetes.authorization.'
const NOTHING: AccessQuestion = {
  account: undefined,
  verb: '',
  path: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}

/**
 * One step of a question that expressions put together, as
 * `authorizer.group('apps').resource('deployments')`.
 */
class Question extends Opaque {
  override readonly typeName: string
  readonly ask: AskAccess
  readonly question: AccessQuestion

  constructor(
    step: 'Authorizer' | 'PathCheck' | 'GroupCheck' | 'ResourceCheck',
    ask: AskAccess,
    question: AccessQuestion,
  ) {
    super()
    this.typeName = `${NAME}${step}`
    this.ask = ask
    this.question = question
  }

  override equals(other: Opaque): boolean {
    return other === this
  }
}

class Decided extends Opaque {
  override readonly typeName = `${NAME}Decision`
  readonly decision: AccessDecision

  constructor(decision: AccessDecision) {
    super()
    this.decision = decision
  }

  override equals(other: Opaque): boolean {
    return other === this
  }
}

/** Makes the variable `authorizer`. */
export function authorizerValue(ask: AskAccess): CelValue {
  return new Question('Authorizer', ask, NOTHING)
}

/** Makes the variable `authorizer.requestResource`, about the resource of the request. */
export function resourceCheckValue(
  ask: AskAccess,
  resource: Pick<AccessQuestion, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>,
): CelValue {
  return new Question('ResourceCheck', ask, { ...NOTHING, ...resource })
}

type Step = 'Authorizer' | 'PathCheck' | 'GroupCheck' | 'ResourceCheck'

/** Makes a function that adds a text to a question. */
function adding(from: Step, to: Step, field: keyof Omit<AccessQuestion, 'account'>) {
  return overload(`${NAME}${from}.(string) -> ${NAME}${to}`, ([receiver, text]) => {
    const { ask, question } = receiver as Question
    return new Question(to, ask, { ...question, [field]: text })
  })
}

/** A check costs this, so that an expression may make two. */
const CHECK_COST = 350_000

function check(from: Step) {
  return overload(
    `${NAME}${from}.(string) -> ${NAME}Decision`,
    ([receiver, verb]) => {
      const { ask, question } = receiver as Question
      return new Decided(ask({ ...question, verb: verb as string }))
    },
    () => CHECK_COST,
  )
}

/** Selectors narrow a list; RBAC ignores them. */
const selector = overload(
  `${NAME}ResourceCheck.(string) -> ${NAME}ResourceCheck`,
  ([receiver = null]) => receiver,
  ([, text = null]) => 10 + Math.ceil(sizeOf(text) * 0.1) + Math.ceil(sizeOf(text) * 0.5 * 50),
)

const ofDecision = (type: string, read: (decision: AccessDecision) => CelValue) =>
  overload(`${NAME}Decision.() -> ${type}`, ([receiver]) => read((receiver as Decided).decision))

/** Kubernetes' functions on what users may do. */
export const AUTHORIZATION: Library = {
  path: [adding('Authorizer', 'PathCheck', 'path')],
  group: [adding('Authorizer', 'GroupCheck', 'group')],
  serviceAccount: [
    overload(`${NAME}Authorizer.(string, string) -> ${NAME}Authorizer`, ([receiver, namespace, name]) => {
      const { ask, question } = receiver as Question
      const account = { namespace: namespace as string, name: name as string }
      return new Question('Authorizer', ask, { ...question, account })
    }),
  ],
  resource: [adding('GroupCheck', 'ResourceCheck', 'resource')],
  subresource: [adding('ResourceCheck', 'ResourceCheck', 'subresource')],
  namespace: [adding('ResourceCheck', 'ResourceCheck', 'namespace')],
  name: [adding('ResourceCheck', 'ResourceCheck', 'name')],
  fieldSelector: [selector],
  labelSelector: [selector],
  check: [check('PathCheck'), check('ResourceCheck')],
  allowed: [ofDecision('bool', ({ allowed }) => allowed)],
  reason: [ofDecision('string', ({ reason }) => reason)],
  errored: [ofDecision('bool', ({ error }) => error !== '')],
  error: [ofDecision('string', ({ error }) => error)],
}
