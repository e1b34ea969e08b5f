import { type Form, formed, list, optional, type RawContext, text } from './context-values.ts'
import { DeploymentError, type FleetInput } from './settings/index.ts'

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

export interface FleetContext {
  readonly fleet?: FleetInput
}

/** The key of the context, a flag of the command too, and what it is. */
export const FLEET_KEYS = {
  fleet:
    'one Service over all clusters for each that is exported (KEP-1645): "*", or the namespaces that mean the same everywhere, separated by commas; several sets: --set clusterSets',
} as const

/** Reads what the context says of a cluster set. @throws DeploymentError for what is no text */
export function readFleet(context: RawContext): FleetContext {
  const namespaces = text(context, 'fleet')
    ?.split(',')
    .map((pattern) => pattern.trim())
  return optional('fleet', namespaces && { namespaces })
}

/** An existing image of the relay. */
export interface RelayContext {
  readonly relayImage?: string
  readonly cpuArchitecture?: 'ARM64' | 'X86_64'
}

/** The keys of the context, each a flag of the command too, and what they are. */
export const RELAY_KEYS = {
  relayImage:
    'a built image of the relay, of any registry, REGISTRY/NAME@sha256:DIGEST; deploy then needs no Docker',
  cpuArchitecture: 'ARM64 or X86_64: of the relay’s task and image (default: ARM64)',
} as const

const IMAGE: Form = {
  pattern: /^[a-z0-9][\w.:-]*(\/[a-z0-9][\w.-]*)+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/,
  what: 'an image with its registry, such as registry.example.org/sliceflow-relay@sha256:DIGEST',
}
const ARCHITECTURE: Form = { pattern: /^(ARM64|X86_64)$/, what: 'ARM64 or X86_64' }

/**
 * Reads what the context says of the relay's image.
 * @throws DeploymentError for a value of another form
 */
export function readRelay(context: RawContext): RelayContext {
  return {
    ...optional('relayImage', formed(context, 'relayImage', IMAGE)),
    ...optional(
      'cpuArchitecture',
      formed(context, 'cpuArchitecture', ARCHITECTURE) as RelayContext['cpuArchitecture'],
    ),
  }
}
