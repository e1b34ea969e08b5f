import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateHttpNamespaceCommand,
  GetOperationCommand,
  ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery'
import { describe } from 'vitest'
import { describeInstanceRegistry } from '../../functions/discover/cloud-map/contract.fixtures.ts'
import { createCloudMapRegistry } from '../../functions/discover/cloud-map/index.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'

async function createNamespace(client: ServiceDiscoveryClient): Promise<string> {
  const { OperationId } = await client.send(new CreateHttpNamespaceCommand({ Name: randomUUID() }))
  for (;;) {
    const { Operation } = await client.send(new GetOperationCommand({ OperationId }))
    if (Operation?.Status === 'SUCCESS') return Operation.Targets?.NAMESPACE ?? ''
    await sleep(20)
  }
}

describe.skipIf(emulatorEndpoint === undefined)(`Cloud Map ${HOW_TO_RUN}`, () => {
  const open = async (): ReturnType<Parameters<typeof describeInstanceRegistry>[1]> => {
    const client = new ServiceDiscoveryClient(emulatorConfig)
    const namespaceId = await createNamespace(client)
    return {
      registry: createCloudMapRegistry({ client, namespaceId }),
      close: async () => client.destroy(),
    }
  }
  describeInstanceRegistry('in Cloud Map', open, { replaces: false })
})
