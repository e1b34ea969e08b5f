import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { objectAt, objectsAt, setMember, stringAt } from '../../apimachinery/json/values.ts'
import { annotationsOf, type KubeObject } from '../../apimachinery/objects.ts'
import { isTokenSecret, SECRET_ACCOUNT_NAME, SECRET_ACCOUNT_UID } from '../../resources/secrets.ts'
import { type ControllerClient, type Following, refOf } from '../client/controller-client.ts'
import { SECRETS, SERVICE_ACCOUNTS } from '../client/resources.ts'
import { Workers } from '../workers.ts'

const TYPE = 'kubernetes.io/service-account-token'

interface TokenSecretServices {
  readonly client: ControllerClient
  /** PEM of the authority's certificate. */
  readonly certificate: string
  /** Signs a token that is good as long as its secret is there. */
  readonly issueToken: (account: KubeObject, secretName: string) => Promise<string>
  readonly onError: (error: unknown) => void
}

/**
 * Fills secrets of the type kubernetes.io/service-account-token with a token of the account that they name,
 * removes them with it, and takes removed ones off its list (upstream's serviceaccount-token-controller).
 * Returns the function that ends it.
 */
export function startTokenSecrets(services: TokenSecretServices): () => void {
  return new TokenSecrets(services).start()
}

class TokenSecrets {
  readonly #services: TokenSecretServices
  readonly #filling: Workers<KubeObject>
  readonly #forgetting: Workers<KubeObject>
  #secrets: Following | undefined
  #accounts: Following | undefined

  constructor(services: TokenSecretServices) {
    const { onError } = services
    this.#services = services
    this.#filling = new Workers<KubeObject>({ work: (secret) => this.#sync(secret), onError })
    this.#forgetting = new Workers<KubeObject>({ work: (secret) => this.#forget(secret), onError })
  }

  start(): () => void {
    const { client } = this.#services
    const secrets = client.follow(SECRETS, { fieldSelector: `type=${TYPE}` }, ({ type, object }) => {
      if (!isTokenSecret(object)) return
      if (type === 'DELETED') this.#forgetting.add(object.metadata.uid ?? '', object)
      else this.#fillLater(object)
    })
    const accounts = client.follow(SERVICE_ACCOUNTS, {}, ({ object: { metadata } }) => {
      // Secrets wait for accounts that come later, and go with those that go.
      for (const secret of secrets.list(metadata.namespace))
        if (isTokenSecret(secret)) this.#fillLater(secret)
    })
    this.#secrets = secrets
    this.#accounts = accounts
    return () => {
      for (const end of [secrets, accounts, this.#filling, this.#forgetting]) end.stop()
    }
  }

  #fillLater(secret: KubeObject): void {
    this.#filling.add(secret.metadata.uid ?? '', secret)
  }

  async #sync({ metadata }: KubeObject): Promise<void> {
    await this.#accounts?.listed
    const secret = this.#secrets?.get(metadata.namespace ?? '', metadata.name ?? '')
    if (secret === undefined || secret.metadata.uid !== metadata.uid || !isTokenSecret(secret)) return
    const account = this.#knownAccount(secret) ?? (await this.#account(secret))
    if (account) await this.#fill(secret, account)
    else await this.#services.client.delete(SECRETS, secret)
  }

  #knownAccount(secret: KubeObject): KubeObject | undefined {
    const name = annotationsOf(secret)[SECRET_ACCOUNT_NAME] ?? ''
    return named(secret, this.#accounts?.get(secret.metadata.namespace ?? '', name))
  }

  /** Reads the account that the secret names from the server, as events may lag behind. */
  async #account(secret: KubeObject): Promise<KubeObject | undefined> {
    const name = annotationsOf(secret)[SECRET_ACCOUNT_NAME] ?? ''
    const { namespace } = secret.metadata
    const found =
      name === ''
        ? undefined
        : await this.#services.client.get(SERVICE_ACCOUNTS, { name, ...(namespace && { namespace }) })
    return named(secret, found)
  }

  async #fill(secret: KubeObject, account: KubeObject): Promise<void> {
    const { client, certificate, issueToken } = this.#services
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
    const filled = { ...data }
    for (const [member, value] of Object.entries({ ...wanted, token: issued }))
      setMember(filled, member, value)
    const annotations = {
      ...annotationsOf(secret),
      [SECRET_ACCOUNT_NAME]: account.metadata.name ?? '',
      [SECRET_ACCOUNT_UID]: account.metadata.uid ?? '',
    }
    await client.update(SECRETS, { ...secret, metadata: { ...secret.metadata, annotations }, data: filled })
  }

  /** Takes a removed secret off the list of its account. */
  async #forget(secret: KubeObject): Promise<void> {
    const { client } = this.#services
    const known = this.#knownAccount(secret)
    if (known === undefined || keptSecrets(known, secret) === undefined) return
    // One of the same name may be there again.
    if (await client.get(SECRETS, refOf(secret), { metadataOnly: true })) return
    const account = await this.#account(secret)
    const secrets = account && keptSecrets(account, secret)
    if (account && secrets) await client.update(SERVICE_ACCOUNTS, { ...account, secrets })
  }
}

/** Returns the account, unless it is a later one of the name that the secret gives. */
function named(secret: KubeObject, account: KubeObject | undefined): KubeObject | undefined {
  const uid = annotationsOf(secret)[SECRET_ACCOUNT_UID] ?? ''
  return uid === '' || uid === account?.metadata.uid ? account : undefined
}

/** Returns an account's list without the secret; undefined if the secret is not on it. */
function keptSecrets(account: KubeObject, { metadata }: KubeObject): JsonObject[] | undefined {
  const listed = objectsAt(account, 'secrets')
  const kept = listed.filter(({ name }) => name !== metadata.name)
  return kept.length === listed.length ? undefined : kept
}

const encoded = (text: string): string => Buffer.from(text).toString('base64')
