import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { permissionsOf, readRoles } from '../../../test/end-to-end/cluster-role.ts'
import { type ClientRole, grantAdvice, grantOf, rbacCommand, shellWord } from './grant-advice.ts'

const refusal = (verb: string, resource: string, group: string, user = 'sliceflow'): string =>
  `${resource} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" at the cluster scope`

/** Files of infra/rbac that a command of these flags prints. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  '': ['cluster-role.yaml'],
  ' --fleet': ['fleet-export.yaml', 'fleet-import.yaml'],
  ' --fleet import': ['fleet-import.yaml'],
  ' --mirroring': ['mirroring.yaml'],
  ' --endpoint-selectors': ['endpoint-selectors.yaml'],
  ' --endpoint-selectors projection': ['endpoint-selectors.yaml', 'service-projection.yaml'],
  ' --canary': ['canary.yaml'],
  ' --read-only': ['read-only.yaml'],
  ' --fleet --read-only': ['fleet-read-only.yaml'],
  ' --mirroring --read-only': ['mirroring-read-only.yaml'],
  ' --endpoint-selectors --read-only': ['endpoint-selectors-read-only.yaml'],
  ' --operator': ['operator.yaml'],
  ' --preflight': ['preflight.yaml'],
}
const ROLE_OF: Readonly<Record<string, ClientRole>> = { 'operator.yaml': 'operator' }

const granted = async (file: string): Promise<string[]> =>
  (await readRoles(file)).roles
    .flatMap(permissionsOf)
    .map(({ group, resource, verb }) => [group, resource, verb].join(' '))

/** Returns the advice after this text of an API server. */
function advised(message: string, role: ClientRole): string | undefined {
  const grant = grantOf(message, role)
  return grant && grantAdvice(grant)
}

it.each(
  readdirSync(new URL('../../../infra/rbac', import.meta.url)).filter((file) => file.endsWith('.yaml')),
)('the command that is advised grants each permission of %s', async (file) => {
  const { roles } = await readRoles(file)
  const role = ROLE_OF[file] ?? (file.includes('read-only') ? 'read-only' : 'function')
  for (const { group, resource, verb } of roles.flatMap(permissionsOf)) {
    const advice = advised(refusal(verb, resource, group), role)
    const [, flags = 'none'] = /sliceflow rbac(.*) \| kubectl apply -f -$/.exec(advice ?? '') ?? []
    const files = FILES[flags] ?? expect.fail(`${flags} prints no file`)
    const all = await Promise.all(files.map(granted))
    // An operator is a reader as well.
    expect(all.flat(), `${verb} ${resource}`).toContain([group, resource, verb].join(' '))
  }
})

it.each([
  ['sliceflow', 'sliceflow rbac | kubectl apply -f -'],
  ['system:serviceaccount:net:relay', 'sliceflow rbac --serviceaccount net:relay | kubectl apply -f -'],
  ['alice@example.com', 'sliceflow rbac --user alice@example.com | kubectl apply -f -'],
  ["o'neil x", "sliceflow rbac --user 'o'\\''neil x' | kubectl apply -f -"],
  ['arn:aws:sts::123456789012:assumed-role/relay/1', 'sliceflow rbac | kubectl apply -f -'],
  ['system:anonymous', 'sliceflow rbac | kubectl apply -f -'],
])('the command of the user %s binds the roles to him', (user, command) => {
  expect(rbacCommand([], user)).toBe(command)
  expect(advised(refusal('list', 'pods', '', user), 'function')).toBe(
    `to grant it, run in that cluster: ${command}`,
  )
})

it('a ServiceAccount is not bound to roles for people', () => {
  expect(rbacCommand(['--operator'], 'system:serviceaccount:net:relay')).toBe(
    'sliceflow rbac --operator | kubectl apply -f -',
  )
})

it('nothing is advised where admission refused, which no role changes', () => {
  expect(advised('events "a" is forbidden: exceeded quota: small', 'function')).toBeUndefined()
})

it('a word is quoted only where a shell needs that', () => {
  expect(['eu-1', 'a b', 'arn:aws:eks/x'].map(shellWord)).toEqual(['eu-1', "'a b'", 'arn:aws:eks/x'])
})
