import type { CostLine } from './cost-line.ts'
import type { DeploymentSize } from './deployment-size.ts'
import type { Load } from './load.ts'
import { relayLogBytes } from './logs.ts'
import { PRICES } from './prices.ts'
import { GB, HOURS_A_MONTH } from './usage.ts'

/** Bytes of a message to SQS, with the overhead of HTTP and TLS and the response. */
const MESSAGE_BYTES = 1500

/** Computes the cost of the VPC endpoints for AWS services, and of their traffic. */
export function vpcEndpointLine(size: DeploymentSize, loads: readonly Load[]): CostLine {
  const { vpcEndpoints, zones } = size
  const { hour, gb } = PRICES.vpcEndpoint
  const messages = loads.reduce((sum, { keys }) => sum + keys, 0)
  const bytes = messages * MESSAGE_BYTES + relayLogBytes(size)
  return {
    what: 'VPC endpoints',
    terms: [
      { quantity: vpcEndpoints * zones * HOURS_A_MONTH, unit: 'h', price: hour },
      { quantity: vpcEndpoints === 0 ? 0 : GB * bytes, unit: 'GB', price: gb },
    ],
    why:
      vpcEndpoints === 0
        ? 'vpcEndpoints none'
        : `${vpcEndpoints} in ${zones} zones; messages of ${MESSAGE_BYTES / 1000} kB and the relay’s logs go through`,
  }
}
