import { objectAt, objectsAt, setMember, stringAt } from '../json.ts'
import { annotationsOf, type KubeObject } from '../objects.ts'
import {
  deleteObject,
  type Endpoint,
  keyOf,
  type Registry,
  systemContext,
  updateObject,
  type WriteContext,
} from '../registry/index.ts'
import { isTokenSecret, SECRET_ACCOUNT_NAME, SECRET_ACCOUNT_UID } from '../resources/index.ts'
import { WorkQueue } from '../work-queue.ts'

export interface TokenSecretServices {
  readonly registry: Registry
  /** PEM of the authority's certificate. */
  readonly certificate: string
  /** Signs a token that is good as long as its secret is there. */
  readonly issueToken: (account: KubeObject, secretName: string) => Promise<string>
  readonly onError: (error: unknown) => void
}

/**
 * Fills secrets of the type kubernetes.io/service-account-token with a token of the account that they name, removes them with it, and takes
 * removed ones off its list (upstream's serviceaccount-token-controller). Returns the function that ends it.
 */
export function startTokenSecrets(services: TokenSecretServices): () => void {
  const { registry } = services
  const secrets = registry.endpoint('', 'v1', 'secrets')
  const accounts = registry.endpoint('', 'v1', 'serviceaccounts')
  if (secrets === undefined || accounts === undefined) return () => undefined
  const controller = new TokenSecrets({ ...services, secrets, accounts })
  return controller.start()
}

class TokenSecrets {
  readonly #services: TokenSecretServices & { readonly secrets: Endpoint; readonly accounts: Endpoint }
  readonly #queue = new WorkQueue<string>((key) => void this.#sync(key))

  constructor(services: TokenSecretServices & { readonly secrets: Endpoint; readonly accounts: Endpoint }) {
    this.#services = services
  }

  start(): () => void {
    const { secrets, accounts } = this.#services
    const later = (object: KubeObject): void => {
      const key = keyOf(object.metadata.namespace, object.metadata.name ?? '')
      if (isTokenSecret(object)) this.#queue.add(key, key)
    }
    const subscriptions = [
      secrets.store.subscribe('secrets', ({ type, object }) => {
        if (type !== 'DELETED') later(object)
        else if (isTokenSecret(object)) this.#guard(() => this.#forget(object))
      }),
      accounts.store.subscribe('serviceaccounts', ({ object }) => {
        // Secrets wait for accounts that come later, and go with those that go.
        for (const secret of secrets.store.list('secrets', `${object.metadata.namespace}/`)) later(secret)
      }),
    ]
    for (const secret of secrets.store.list('secrets', '')) later(secret)
    return () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      this.#queue.stop()
    }
  }

  async #sync(key: string): Promise<void> {
    try {
      const secret = this.#services.secrets.store.get('secrets', key)
      if (!secret || !isTokenSecret(secret)) return
      const account = this.#accountOf(secret)
      if (account) await this.#fill(secret, account, key)
      else deleteObject(this.#services.secrets, secret, {}, this.#context())
    } catch (error) {
      this.#services.onError(error)
    }
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#services.onError(error)
    }
  }

  /** The account that the secret names, and not a later one of the same name. */
  #accountOf(secret: KubeObject): KubeObject | undefined {
    const annotations = annotationsOf(secret)
    const key = keyOf(secret.metadata.namespace, annotations[SECRET_ACCOUNT_NAME] ?? '')
    const account = this.#services.accounts.store.get('serviceaccounts', key)
    const uid = annotations[SECRET_ACCOUNT_UID] ?? ''
    return account && (uid === '' || uid === account.metadata.uid) ? account : undefined
  }

  async #fill(secret: KubeObject, account: KubeObject, key: string): Promise<void> {
    const { secrets, certificate, issueToken } = this.#services
    const { name = '', namespace = '' } = secret.metadata
    const data = objectAt(secret, 'data')
    const wanted = {
      'ca.crt': encoded(certificate),
      namespace: stringAt(data, 'namespace') || encoded(namespace),
    }
    const token = stringAt(data, 'token')
    const isFull = token !== '' && data['ca.crt'] === wanted['ca.crt'] && data.namespace === wanted.namespace
    if (isFull) return
    const issued = token || encoded(await issueToken(account, name))
    // Whoever has written it meanwhile has also brought it here again.
    const { resourceVersion } = secret.metadata
    if (secrets.store.get('secrets', key)?.metadata.resourceVersion !== resourceVersion) return
    const filled = { ...data }
    for (const [member, value] of Object.entries({ ...wanted, token: issued }))
      setMember(filled, member, value)
    const annotations = {
      ...annotationsOf(secret),
      [SECRET_ACCOUNT_NAME]: account.metadata.name ?? '',
      [SECRET_ACCOUNT_UID]: account.metadata.uid ?? '',
    }
    const next = { ...secret, metadata: { ...secret.metadata, annotations }, data: filled }
    updateObject({ endpoint: secrets, stored: secret }, next, this.#context())
  }

  /** Takes a removed secret off the list of its account. */
  #forget(secret: KubeObject): void {
    const account = this.#accountOf(secret)
    const listed = objectsAt(account, 'secrets')
    const kept = listed.filter(({ name }) => name !== secret.metadata.name)
    if (!account || kept.length === listed.length) return
    updateObject(
      { endpoint: this.#services.accounts, stored: account },
      { ...account, secrets: kept },
      this.#context(),
    )
  }

  #context(): WriteContext {
    const context = systemContext(this.#services.registry.objects, Date.now())
    return { ...context, fieldManager: 'kube-controller-manager' }
  }
}

const encoded = (text: string): string => Buffer.from(text).toString('base64')
