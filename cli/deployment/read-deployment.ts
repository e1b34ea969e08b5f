import * as v from 'valibot'
import { DEPLOYMENT_FILE, readClusters, VARIABLES } from '../../functions/environment/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { looseObject, record, safeParse } from '../../shared/schema/index.ts'
import { describeSettings, type SettingsInput, variableOf } from '../../shared/settings/index.ts'
import { parseJson } from '../../shared/values/index.ts'
import { UsageError } from '../usage.ts'
import { askStack, isStack } from './read-stack.ts'

interface Deployment {
  readonly clusters: readonly ClusterConfig[]
  readonly settings: SettingsInput
}

/** The part of a template that has the variables of functions; one that is a reference is no text. */
const templateSchema = looseObject({
  Resources: record(
    v.string(),
    looseObject({
      Type: v.string(),
      Metadata: v.optional(looseObject({ [DEPLOYMENT_FILE]: v.optional(record(v.string(), v.unknown())) })),
      Properties: v.optional(
        looseObject({
          Environment: v.optional(looseObject({ Variables: record(v.string(), v.unknown()) })),
        }),
      ),
    }),
  ),
})

/**
 * Reads from its template which clusters and settings a deployment has.
 * @param place the name or the ARN of its stack
 * @throws UsageError where it can be neither
 * @throws Error when the template cannot be read, or names no clusters
 */
export async function readDeployment(place: string): Promise<Deployment> {
  if (!isStack(place))
    throw new UsageError(
      `--stack: "${place}" is neither the name nor the ARN of a stack, whose template is read`,
    )
  const variables = variablesOf(place, await readTemplate(place))
  const settings = describeSettings().map(({ name }) => [name, variables[variableOf(name)]] as const)
  return {
    clusters: readClusters(variables),
    settings: Object.fromEntries(settings.filter(([, value]) => value !== undefined)),
  }
}

const readTemplate = (stack: string): Promise<string> =>
  askStack(stack, 'read the template of', 'GetTemplate', async (client, { GetTemplateCommand }) => {
    const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName: stack }))
    return TemplateBody
  })

/** Returns the variables of the stack's functions that are texts, all functions together. */
function variablesOf(stack: string, text: string): Readonly<Record<string, string>> {
  const template = safeParse(templateSchema, parseJson(text))
  const resources = template.success ? Object.values(template.data.Resources) : []
  const all = resources.flatMap(({ Metadata, Properties }) => [
    ...Object.entries(Metadata?.[DEPLOYMENT_FILE] ?? {}),
    ...Object.entries(Properties?.Environment?.Variables ?? {}),
  ])
  const texts = all.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const variables: Readonly<Record<string, string>> = Object.fromEntries(texts)
  if (variables[VARIABLES.clusters] !== undefined) return variables
  const isReference = all.some(([name]) => name === VARIABLES.clusters)
  throw new Error(
    isReference
      ? `stack ${stack} names its clusters by references, which only AWS resolves: give them with --clusters, as the variable ${VARIABLES.clusters} of its functions has them`
      : `stack ${stack} has no function with the variable ${VARIABLES.clusters}: it is not of a deployment of Sliceflow`,
  )
}
