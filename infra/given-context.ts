import { withValues } from '../shared/values/index.ts'
import { type Form, formed, list, type RawContext, text } from './context-values.ts'
import { DeploymentError, type FleetInput } from './settings/index.ts'

/** What a company asks for or has already, and the cluster set. */
export interface GivenContext {
  readonly encryptionKey?: string
  /** Name, or ARN. */
  readonly permissionsBoundary?: string
  readonly tags?: Readonly<Record<string, string>>
  /** ARN of a topic for on-call. */
  readonly topic?: string
  readonly fleet?: FleetInput
  /** An existing image of the relay. */
  readonly relayImage?: string
  readonly cpuArchitecture?: 'ARM64' | 'X86_64'
}

/** The keys of the context, each a flag of the command too, and what they are. */
export const GIVEN_KEYS = {
  encryptionKeyArn:
    'a KMS key for queues, topics, logs, environments, views, recordings and files of the relays',
  permissionsBoundary: 'name or ARN of a policy: the permissions boundary of every role that is created',
  tags: 'KEY=VALUE, separated by commas: tags of every resource',
  topicArn:
    'an SNS topic for on-call that is there, of this region: notified by severity (default: a new one)',
  fleet:
    'one Service over all clusters for each that is exported (KEP-1645): "*", or the namespaces that mean the same everywhere, separated by commas; several sets: --set clusterSets',
  relayImage:
    'a built image of the relay, of any registry, REGISTRY/NAME@sha256:DIGEST; deploy then needs no Docker',
  cpuArchitecture: 'ARM64 or X86_64: of the relay’s task and image (default: ARM64)',
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
const IMAGE: Form = {
  pattern: /^[a-z0-9][\w.:-]*(\/[a-z0-9][\w.-]*)+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/,
  what: 'an image with its registry, such as registry.example.org/sliceflow-relay@sha256:DIGEST',
}
const ARCHITECTURE: Form = { pattern: /^(ARM64|X86_64)$/, what: 'ARM64 or X86_64' }

/** Reads the values of these keys. @throws DeploymentError for a value of another form */
export function readGiven(context: RawContext): GivenContext {
  const tags = readTags(context)
  const namespaces = text(context, 'fleet')
    ?.split(',')
    .map((pattern) => pattern.trim())
  return withValues<GivenContext>({
    encryptionKey: formed(context, 'encryptionKeyArn', KEY),
    permissionsBoundary: formed(context, 'permissionsBoundary', POLICY),
    topic: formed(context, 'topicArn', TOPIC),
    tags: tags && Object.fromEntries(tags),
    fleet: namespaces && { namespaces },
    relayImage: formed(context, 'relayImage', IMAGE),
    cpuArchitecture: formed(context, 'cpuArchitecture', ARCHITECTURE) as GivenContext['cpuArchitecture'],
  })
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
