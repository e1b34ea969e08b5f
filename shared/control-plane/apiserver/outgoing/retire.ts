import type { Agent } from 'node:https'

/** Lets requests that are under way come to their end, but keeps no connection for later ones. */
export function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}
