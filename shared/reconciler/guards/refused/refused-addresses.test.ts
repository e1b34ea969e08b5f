import { describe, expect, it } from 'vitest'
import {
  addressSource,
  type EndpointSource,
  type Pod,
  plan,
  type SkippedObject,
} from '../../../endpointslice/index.ts'
import { createAddressFilter } from './refused-addresses.ts'

const pod = (name: string, ...ips: string[]): Pod => ({
  metadata: { name, namespace: 'shop' },
  status: { phase: 'Running', podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
})

describe('refused addresses', () => {
  it.each([
    ['127.0.0.1', '127.0.0.0/8'],
    ['169.254.169.254', '169.254.0.0/16'],
    ['0.0.0.0', '0.0.0.0/32'],
    ['224.0.0.1', '224.0.0.0/4'],
    ['239.255.255.255', '224.0.0.0/4'],
    ['::', '::/128'],
    ['::1', '::1/128'],
    ['fe80::1', 'fe80::/10'],
    ['febf:ffff::1', 'fe80::/10'],
    ['ff02::1', 'ff00::/8'],
    // Other ways to write them.
    ['::ffff:169.254.169.254', '169.254.0.0/16'],
    ['0:0:0:0:0:0:0:1', '::1/128'],
    ['FE80::1', 'fe80::/10'],
    ['127.000.000.001', '127.0.0.0/8'],
    // The metadata, credentials and platform services of clouds.
    ['168.63.129.16', '168.63.129.16/32'],
    ['100.100.100.200', '100.100.100.200/32'],
    ['192.0.0.192', '192.0.0.192/32'],
    ['fd00:ec2::254', 'fd00:ec2::/32'],
    ['fd00:ec2::23', 'fd00:ec2::/32'],
    ['fd00:ec2:0:0:0:0:0:253', 'fd00:ec2::/32'],
    ['fd20:ce::254', 'fd20:ce::254/128'],
    ['fd00:c1::a9fe:a9fe', 'fd00:c1::a9fe:a9fe/128'],
    ['fd00:42::42', 'fd00:42::42/128'],
    ['fd00:a9fe:a9fe::1', 'fd00:a9fe:a9fe::1/128'],
    ['fd00:100::100:200', 'fd00:100::100:200/128'],
    ['fe80::a9fe:a9fe', 'fe80::/10'],
    // What stands for one of them.
    ['::ffff:a9fe:a9fe', '169.254.0.0/16'],
    ['::a9fe:a9fe', '169.254.0.0/16'],
    ['::169.254.169.254', '169.254.0.0/16'],
    ['::7f00:1', '127.0.0.0/8'],
    ['::ffff:0:a9fe:a9fe', '169.254.0.0/16'],
    ['64:ff9b::a9fe:a9fe', '169.254.0.0/16'],
    ['64:ff9b::169.254.169.254', '169.254.0.0/16'],
    ['64:ff9b::a83f:8110', '168.63.129.16/32'],
    ['64:ff9b:1::a9fe:a9fe', '169.254.0.0/16'],
    ['64:ff9b:1:0:a9:fea9:fe00:0', '169.254.0.0/16'],
    ['64:ff9b:1:a9:fe:a9fe::', '169.254.0.0/16'],
    ['64:ff9b:1:a9fe:a9:fe00::', '169.254.0.0/16'],
    ['64:ff9b:1:0:a8:3f81:1000:0', '168.63.129.16/32'],
    ['64:ff9b:1:a8:3f:8110::', '168.63.129.16/32'],
    ['64:ff9b:1:a83f:81:1000::', '168.63.129.16/32'],
    ['2002:a9fe:a9fe::1', '169.254.0.0/16'],
    ['2002:7f00:1::', '127.0.0.0/8'],
    ['2001:0:a9fe:a9fe::1', '169.254.0.0/16'],
    ['2001::5601:5601', '169.254.0.0/16'],
    ['2001:db8::5efe:a9fe:a9fe', '169.254.0.0/16'],
    ['2001:db8::200:5efe:a9fe:a9fe', '169.254.0.0/16'],
  ])('%s is one, being in %s', (address, range) => {
    expect(createAddressFilter('special').rangeOf(address)).toBe(range)
  })

  it.each([
    '10.0.0.1',
    '126.255.255.255',
    '169.253.0.1',
    '223.255.255.255',
    'fd00::1',
    'fec0::1',
    'example.org',
    // Neighbours of special ones, and what stands for a usual one.
    '168.63.129.17',
    '100.100.100.201',
    'fd00:ec1::254',
    'fd20:ce::255',
    '64:ff9b::a00:5',
    '64:ff9b:1::a00:5',
    '2001:db8::1:5efe:a9fe:a9fe',
    '2002:a00:5::1',
    '2001:4860::a9fe:a9fe',
    '2001:db8::a9fe:a9fe',
  ])('%s is none', (address) => {
    expect(createAddressFilter('special').rangeOf(address)).toBeUndefined()
  })

  it('are those of the setting as well, which adds to the special ones', () => {
    const { rangeOf } = createAddressFilter('10.1.0.0/16, fd00:1::/32')
    expect(['10.1.2.3', 'fd00:1::9', '127.0.0.1', '10.2.0.1'].map(rangeOf)).toEqual([
      '10.1.0.0/16',
      'fd00:1::/32',
      '127.0.0.0/8',
      undefined,
    ])
  })

  it('are those that stand for an address in a range of the setting, too', () => {
    expect(createAddressFilter('10.1.0.0/16').rangeOf('64:ff9b::a01:203')).toBe('10.1.0.0/16')
  })

  it('are none at all where the setting says so', () => {
    expect(createAddressFilter('none').rangeOf('127.0.0.1')).toBeUndefined()
  })

  describe('of pods', () => {
    it('are left out, the pod’s others being published, and reported by name', () => {
      const pods = [pod('good', '10.0.0.1'), pod('half', '169.254.1.1', 'fd00::2'), pod('bad', '127.0.0.1')]
      const before = structuredClone(pods)
      const read = createAddressFilter('special').filter({ pods, nodes: [], skipped: [] })
      expect(read.pods.map(({ status }) => status)).toEqual([
        pods[0]?.status,
        { phase: 'Running', podIP: 'fd00::2', podIPs: [{ ip: 'fd00::2' }] },
        { phase: 'Running', podIP: undefined, podIPs: [] },
      ])
      expect(read.skipped).toEqual([
        {
          kind: 'Pod',
          namespace: 'shop',
          name: 'half',
          reason: 'RefusedAddress',
          message: 'its address 169.254.1.1 is in 169.254.0.0/16, which is refused',
        },
        expect.objectContaining({ name: 'bad', reason: 'RefusedAddress' }),
      ])
      expect(pods).toEqual(before)
    })

    it('that are malformed are left for the plan to complain of', () => {
      const strange = [
        { metadata: { name: 'p' }, status: { podIPs: [{ ip: 5 }, null, { ip: 'x' }, '127.0.0.1', {}] } },
        { metadata: { name: 'p' }, status: { podIPs: { ip: '127.0.0.1' } } },
        { status: null },
      ]
      const pods = strange as unknown as Pod[]
      expect(createAddressFilter('special').filter({ pods, nodes: [], skipped: [] })).toEqual({
        pods,
        nodes: [],
        skipped: [],
      })
    })
  })

  it('of any other source are left out and reported', () => {
    const { filter } = createAddressFilter('10.9.0.0/16')
    const read = filter({
      pods: [],
      nodes: [],
      skipped: [],
      source: addressSource(['10.0.0.1', '10.9.0.1', '169.254.169.254']),
    })
    const service = {
      metadata: { name: 'web', namespace: 'shop', uid: 'u' },
      spec: { clusterIP: '10.96.0.1', ports: [{ port: 80 }] },
    }
    const planned = plan({ ...read, service, slices: [] })
    const found = planned.create.flatMap(({ endpoints }) => endpoints ?? []).flatMap((one) => one.addresses)
    expect(found).toEqual(['10.0.0.1'])
    const refused = planned.skipped.filter(({ reason }: SkippedObject) => reason === 'RefusedAddress')
    expect(refused.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Service web', 'Service web'])
  })

  it.each([
    [['10.0.0.1', '10.0.0.2'], [['10.0.0.1', '10.0.0.2']]],
    [['10.0.0.1', '127.0.0.1'], [['10.0.0.1']]],
    [['127.0.0.1', '127.0.0.2'], []],
  ])('of an endpoint with %j leave the others of it, and no endpoint without any', (addresses, left) => {
    const one = addressSource(['10.0.0.1'])
    const source: EndpointSource = {
      ...one,
      *endpoints(...given) {
        for (const endpoint of one.endpoints(...given)) yield { ...endpoint, addresses }
      },
    }
    const filtered = createAddressFilter('special').filter({ pods: [], nodes: [], skipped: [], source })
    const found = [
      ...(filtered.source?.endpoints({ metadata: { name: 'web', namespace: 'shop', uid: 'u' } }, () => {}) ??
        []),
    ]
    expect(found.map((endpoint) => endpoint.addresses)).toEqual(left)
  })
})
