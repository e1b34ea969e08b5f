import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { describePublicationStore } from '../../functions/view-publisher/store/contract.fixtures.ts'
import { createDynamoDbPublicationStore } from '../../functions/view-publisher/store/dynamodb-store.ts'
import type { ViewObject } from '../../shared/views/index.ts'
import { emulatorConfig, emulatorEndpoint, HOW_TO_RUN } from './endpoint.ts'
import { createTable } from './resources.ts'

describe.skipIf(emulatorEndpoint === undefined)(`DynamoDB ${HOW_TO_RUN}`, () => {
  describePublicationStore('in DynamoDB', async () => {
    const client = new DynamoDBClient(emulatorConfig)
    const tableName = await createTable()
    return {
      store: createDynamoDbPublicationStore({ client, tableName }),
      close: async () => client.destroy(),
    }
  })

  it('keeps 5,000 endpoints of two ports in one item', async () => {
    const client = new DynamoDBClient(emulatorConfig)
    const tableName = await createTable()
    const key = { cluster: 'a', namespace: 'shop', service: 'cart', sink: 'event bus default' }
    const views = Array.from({ length: 10_000 }, (_, index): ViewObject => {
      const hash = Math.abs(Math.sin(index + 1))
        .toString(36)
        .slice(2, 8)
      const address = `10.${index % 7}.${(index >> 8) & 255}.${index & 255}`
      return {
        apiVersion: 'op.view.dcontroller.io/v1alpha1',
        kind: 'EndpointView',
        metadata: { name: `cart-${hash}-${index}`, namespace: 'shop' },
        spec: { serviceName: 'cart', type: 'ClusterIP', protocol: 'TCP', port: 80 + (index % 2), address },
      }
    })
    const pending = views.map((object) => ({ type: 'Added', object }) as const)
    const store = createDynamoDbPublicationStore({ client, tableName })
    const publication = { version: 1, views, pending }
    expect(await store.save(key, publication, undefined)).toBe(true)
    expect(await store.load(key)).toEqual(publication)
    client.destroy()
  })
})
