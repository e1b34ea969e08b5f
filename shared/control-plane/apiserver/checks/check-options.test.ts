import { expect, it } from 'vitest'
import { createControlPlane } from '../../control-plane.ts'
import { builtinResources } from '../../resources/builtin.ts'

const note = {
  group: 'example.org',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  singular: 'note',
  namespaced: true,
}
const resources = (other: object) => ({ apis: { resources: [{ ...note, ...other }] } })

/** Options as programs without types, and settings of others, may have them. */
it.each<[string, unknown]>([
  ['the options must be an object, not null', null],
  ['there is no option resource; those here are apis, storage', { resource: [] }],
  ['there is no option limits.write; those here are reads, writes, timeoutSeconds', { limits: { write: 1 } }],
  ['storage.historyWindow must be a whole number, 0 or more, not -1', { storage: { historyWindow: -1 } }],
  ['storage.historyWindow must be a whole number, 0 or more, not 0.5', { storage: { historyWindow: 0.5 } }],
  ['storage.historySize must be a whole number, 0 or more, not -1', { storage: { historySize: -1 } }],
  ['storage.dataDir must be a text, not ""', { storage: { dataDir: '' } }],
  ['storage.backend must be an object with the methods load, append', { storage: { backend: {} } }],
  ['storage.eventTtlSeconds must be a number above 0, not NaN', { storage: { eventTtlSeconds: Number.NaN } }],
  ['storage.eventTtlSeconds must be a number above 0, not 0', { storage: { eventTtlSeconds: 0 } }],
  ['limits.reads must be a whole number, 0 or more, not Infinity', { limits: { reads: Infinity } }],
  [
    'limits.timeoutSeconds must be a number above 0 and up to 2147483, not -5',
    { limits: { timeoutSeconds: -5 } },
  ],
  ['limits.timeoutSeconds must be a number above 0 and up to', { limits: { timeoutSeconds: 1e10 } }],
  ['apis.crds must be true or false, not "yes"', { apis: { crds: 'yes' } }],
  ['authorization must be \'RBAC\' or a function, not "rbac"', { authorization: 'rbac' }],
  ['controllers[0] must be one of namespace, serviceaccount', { controllers: ['replicaset'] }],
  ['apis.serviceRanges must be a list that is not empty, not an empty list', { apis: { serviceRanges: [] } }],
  [
    'apis.serviceRanges are of the default resources',
    { apis: { serviceRanges: ['10.0.0.0/16'], resources: [note] } },
  ],
  ['admission[0] must be an object, not a function', { admission: [() => undefined] }],
  ['admission[0].name must be a text, not undefined', { admission: [{ validate: () => undefined }] }],
  [
    'admission[0] must have mutate or validate',
    { admission: [{ name: 'Owners', validateCreate: () => undefined }] },
  ],
  ['observer.audit must be a function, not "log"', { observer: { audit: 'log' } }],
  ['authentication.anonymous must be true or false', { authentication: { anonymous: 'false' } }],
  ['authentication.authenticators[0] must be a function', { authentication: { authenticators: [{}] } }],
  ['authentication.jwt[0].audiences must be a list', { authentication: { jwt: [{ issuer: 'https://a' }] } }],
  [
    'authentication.requestHeader.clientAuthorities must be a list that is not empty',
    { authentication: { requestHeader: { clientAuthorities: [] } } },
  ],
  ['apis.resources must be a list, not "generic"', { apis: { resources: 'generic' } }],
  ['apis.resources[0].plural must be a DNS label of lower case letters', resources({ plural: 'Notes' })],
  ['apis.resources[0].group must be a DNS name', resources({ group: 'Example_org' })],
  ['apis.resources[0].kind must be a name of letters and digits', resources({ kind: undefined })],
  ['apis.resources[0].schema must be a struct of Kubernetes', resources({ schema: 'core.Note' })],
  ['apis.resources[0].verbs[1] must be one of create, delete', resources({ verbs: ['get', 'read'] })],
  ['there is no option apis.resources[0].defaults', resources({ defaults: {} })],
  [
    'apis.resources must have one definition of the resource notes of example.org/v1',
    { apis: { resources: [note, note] } },
  ],
  [
    'apis.resources must have one definition of the kind Note of example.org/v1',
    { apis: { resources: [note, { ...note, plural: 'memos' }] } },
  ],
])('a control plane is not made where %s', async (problem, options) => {
  const made = createControlPlane(options as object)
  await expect(made).rejects.toThrow(`failed to make a control plane: ${problem}`)
})

it('what is wrong with users and keys is said without the tokens and the keys', async () => {
  const tokens = { 'a-secret': { username: 'joe' } }
  await expect(createControlPlane({ authentication: { tokens } } as object)).rejects.toThrow(
    'failed to make a control plane: authentication.tokens[…].groups must be a list, not undefined',
  )
  const key = 'a-secret'.repeat(10)
  await expect(createControlPlane({ storage: key } as object)).rejects.toThrow(
    'storage must be an object, not a text of 80 characters',
  )
})

it.each<[string, object]>([
  ['port must be 0 to 65535, not 70000', { port: 70_000 }],
  ['port must be a whole number, 0 or more, not "6443"', { port: '6443' }],
  ['host must be a text, not ""', { host: '' }],
  ['names[0] must be a DNS name or an IP address, not "a b"', { names: ['a b'] }],
  ['there is no option address; those here are host, port, names, context', { address: 'localhost' }],
])('it does not listen where %s, and may then', async (problem, options) => {
  const controlPlane = await createControlPlane({ apis: { resources: builtinResources('generic') } })
  await expect(controlPlane.listen(options)).rejects.toThrow(`failed to listen: ${problem}`)
  expect((await controlPlane.listen()).port).toBeGreaterThan(0)
  await controlPlane.close()
})

it('a control plane is made with the least that options allow', async () => {
  const least = {
    storage: { historyWindow: 0, historySize: 0, eventTtlSeconds: 0.001 },
    limits: { reads: 0, writes: 0 },
  }
  const controlPlane = await createControlPlane(least)
  await controlPlane.close()
})
