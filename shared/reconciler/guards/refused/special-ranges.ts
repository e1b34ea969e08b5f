/** A range of addresses that no endpoint is meant to have, and who says so. */
interface SpecialRange {
  readonly range: string
  readonly source: string
}

/**
 * Ranges that lead a consumer to itself or to its machine's neighbours, the cloud's metadata and credentials
 * among them (CVE-2021-25740: a user who may write endpoints may point a load balancer at them). The API
 * server refuses a slice with most of the first eight, and with it the whole plan.
 *
 * IPv6 addresses that stand for one of the IPv4 addresses are refused as well; see {@link embeddedIPv4}.
 */
export const SPECIAL_RANGES: readonly SpecialRange[] = [
  { range: '0.0.0.0/32', source: 'RFC 1122 3.2.1.3: this host' },
  { range: '127.0.0.0/8', source: 'RFC 1122 3.2.1.3: loopback' },
  {
    range: '169.254.0.0/16',
    source:
      'RFC 3927: link-local; .169.254 is the metadata service of AWS, Google Cloud, Azure, Oracle Cloud, OpenStack and others, .170.2 and .170.23 the credentials of ECS tasks and EKS pods, .42.42 the metadata service of Scaleway, .0.23 that of Tencent Cloud',
  },
  { range: '224.0.0.0/4', source: 'RFC 5771: multicast' },
  { range: '::/128', source: 'RFC 4291 2.5.2: unspecified' },
  { range: '::1/128', source: 'RFC 4291 2.5.3: loopback' },
  {
    range: 'fe80::/10',
    source:
      'RFC 4291 2.5.6: link-local; fe80::a9fe:a9fe is the metadata service of OpenStack (nova, admin/metadata-service)',
  },
  { range: 'ff00::/8', source: 'RFC 4291 2.7: multicast' },
  {
    range: '168.63.129.16/32',
    source:
      'Azure: the platform’s DNS, DHCP, health probes and WireServer (learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16)',
  },
  {
    range: '100.100.100.200/32',
    source:
      'Alibaba Cloud: metadata (cloud-init, AliYun data source; alibabacloud.com/help/ecs, instance metadata)',
  },
  {
    range: 'fd00:100::100:200/128',
    source: 'Alibaba Cloud: metadata by IPv6 (cloud-init’s AliYun data source)',
  },
  {
    range: '192.0.0.192/32',
    source:
      'Oracle Cloud Infrastructure Classic: metadata (docs.oracle.com, IaaS Classic, instance metadata)',
  },
  {
    range: 'fd00:c1::a9fe:a9fe/128',
    source: 'Oracle Cloud: metadata by IPv6 (cloud-init’s Oracle data source; the OCI SDKs)',
  },
  {
    range: 'fd00:ec2::/32',
    source:
      'AWS: ::254 metadata (EC2 user guide, instancedata-data-retrieval), ::23 credentials of EKS pods (EKS user guide, pod-id-agent-setup), ::253 DNS and ::123 time of a VPC',
  },
  {
    range: 'fd20:ce::254/128',
    source: 'Google Cloud: metadata of IPv6-only machines (cloud.google.com/compute/docs/metadata)',
  },
  {
    range: 'fd00:42::42/128',
    source: 'Scaleway: metadata by IPv6 (cloud-init’s Scaleway data source; Scaleway’s Instance API)',
  },
  {
    range: 'fd00:a9fe:a9fe::1/128',
    source: 'Akamai (Linode): metadata by IPv6 (cloud-init’s Akamai data source)',
  },
]
