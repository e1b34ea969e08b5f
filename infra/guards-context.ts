import { type Form, formed, list, optional, type RawContext } from './context-values.ts'
import { DeploymentError } from './settings/index.ts'

/** Keys, boundaries, tags and the topic for on-call that a company asks for. */
export interface GuardsContext {
  readonly encryptionKey?: string
  /** Name, or ARN. */
  readonly permissionsBoundary?: string
  readonly tags?: Readonly<Record<string, string>>
  /** ARN. */
  readonly topic?: string
}

/** The keys of the context, each a flag of the command too, and what they are. */
export const GUARD_KEYS = {
  encryptionKeyArn:
    'a KMS key for queues, topics, logs, environments, views, recordings and files of the relays',
  permissionsBoundary: 'name or ARN of a policy: the permissions boundary of every role that is created',
  tags: 'KEY=VALUE, separated by commas: tags of every resource',
  topicArn:
    'an SNS topic for on-call that is there, of this region: notified by severity (default: a new one)',
} as const

const KEY: Form = {
  pattern: /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/,
  what: 'the ARN of a KMS key (not of an alias), such as arn:aws:kms:REGION:ACCOUNT:key/ID',
}
const POLICY: Form = {
  pattern: /^(arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/)?[\w+=,.@/-]+$/,
  what: 'the name or the ARN of a managed policy',
}
const TOPIC: Form = {
  pattern: /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$/,
  what: 'the ARN of a standard SNS topic, such as arn:aws:sns:REGION:ACCOUNT:NAME',
}
const TAG: Form = { pattern: /^[^=,]+=[^,]*$/, what: 'a tag, KEY=VALUE' }

/**
 * Reads what the context says of keys, boundaries and tags.
 * @throws DeploymentError for a value of another form
 */
export function readGuards(context: RawContext): GuardsContext {
  const tags = readTags(context)
  return {
    ...optional('encryptionKey', formed(context, 'encryptionKeyArn', KEY)),
    ...optional('permissionsBoundary', formed(context, 'permissionsBoundary', POLICY)),
    ...optional('topic', formed(context, 'topicArn', TOPIC)),
    ...optional('tags', tags && Object.fromEntries(tags)),
  }
}

function readTags(context: RawContext): string[][] | undefined {
  const tags = list(context, 'tags', TAG)
  const ofAws = tags?.find((tag) => tag.startsWith('aws:'))
  if (ofAws !== undefined)
    throw new DeploymentError(`context tags: "${ofAws}" begins with aws:, which AWS keeps for itself`)
  return tags?.map((tag) => {
    const separator = tag.indexOf('=')
    return [tag.slice(0, separator), tag.slice(separator + 1)]
  })
}
