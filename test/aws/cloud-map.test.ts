import { ServiceDiscoveryClient } from '@aws-sdk/client-servicediscovery'
import { describe } from 'vitest'
import { createCloudMapRegistry } from '../../functions/view-publisher/cloud-map/cloud-map-registry.ts'
import { describeInstanceRegistry } from '../../functions/view-publisher/cloud-map/contract.fixtures.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'
import { createNamespace } from './resources.ts'

describe.skipIf(emulatorEndpoint === undefined)(`Cloud Map ${HOW_TO_RUN}`, () => {
  const open = async (): ReturnType<Parameters<typeof describeInstanceRegistry>[1]> => {
    const client = new ServiceDiscoveryClient(emulatorConfig)
    const { id: namespaceId } = await createNamespace(client)
    return { registry: createCloudMapRegistry({ client, namespaceId }), close: async () => client.destroy() }
  }
  describeInstanceRegistry('in Cloud Map', open, { replaces: false })
})
