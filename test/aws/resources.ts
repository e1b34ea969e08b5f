import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  CreateHttpNamespaceCommand,
  GetOperationCommand,
  type ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery'
import { emulatorConfig } from './endpoint.ts'

/** Creates a table like that of the publishing function's deployment; resolves to its name. */
export async function createTable(): Promise<string> {
  const client = new DynamoDBClient(emulatorConfig)
  const TableName = `publications-${randomUUID()}`
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'key', AttributeType: 'S' },
        { AttributeName: 'sink', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'key', KeyType: 'HASH' },
        { AttributeName: 'sink', KeyType: 'RANGE' },
      ],
    }),
  )
  client.destroy()
  return TableName
}

/** Creates a Cloud Map namespace. */
export async function createNamespace(client: ServiceDiscoveryClient): Promise<{ id: string; name: string }> {
  const name = randomUUID()
  const { OperationId } = await client.send(new CreateHttpNamespaceCommand({ Name: name }))
  for (;;) {
    const { Operation } = await client.send(new GetOperationCommand({ OperationId }))
    if (Operation?.Status === 'SUCCESS') return { id: Operation.Targets?.NAMESPACE ?? '', name }
    await sleep(20)
  }
}
