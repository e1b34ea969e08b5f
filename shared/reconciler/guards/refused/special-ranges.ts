/**
 * Ranges that no endpoint is meant to have, and who says so. They lead a consumer to itself or to its
 * machine's neighbours, the cloud's metadata and credentials among them (CVE-2021-25740: a user who may write
 * endpoints may point a load balancer at them). The API server refuses a slice with most of the first eight,
 * and with it the whole plan.
 *
 * IPv6 addresses that stand for one of the IPv4 addresses are refused as well; see {@link embeddedIPv4}.
 */
export const SPECIAL_RANGES: readonly string[] = [
  '0.0.0.0/32', // RFC 1122 3.2.1.3: this host
  '127.0.0.0/8', // RFC 1122 3.2.1.3: loopback
  // RFC 3927: link-local; .169.254 is the metadata service of AWS, Google Cloud, Azure, Oracle Cloud,
  // OpenStack and others, .170.2 and .170.23 the credentials of ECS tasks and EKS pods, .42.42 the metadata
  // service of Scaleway, .0.23 that of Tencent Cloud
  '169.254.0.0/16',
  '224.0.0.0/4', // RFC 5771: multicast
  '::/128', // RFC 4291 2.5.2: unspecified
  '::1/128', // RFC 4291 2.5.3: loopback
  // RFC 4291 2.5.6: link-local; fe80::a9fe:a9fe is the metadata service of OpenStack (nova,
  // admin/metadata-service)
  'fe80::/10',
  'ff00::/8', // RFC 4291 2.7: multicast
  // Azure: the platform’s DNS, DHCP, health probes and WireServer
  // (learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16)
  '168.63.129.16/32',
  // Alibaba Cloud: metadata (cloud-init, AliYun data source; alibabacloud.com/help/ecs, instance metadata)
  '100.100.100.200/32',
  'fd00:100::100:200/128', // Alibaba Cloud: metadata by IPv6 (cloud-init’s AliYun data source)
  // Oracle Cloud Infrastructure Classic: metadata (docs.oracle.com, IaaS Classic, instance metadata)
  '192.0.0.192/32',
  // Oracle Cloud: metadata by IPv6 (cloud-init’s Oracle data source; the OCI SDKs)
  'fd00:c1::a9fe:a9fe/128',
  // AWS: ::254 metadata (EC2 user guide, instancedata-data-retrieval), ::23 credentials of EKS pods (EKS user
  // guide, pod-id-agent-setup), ::253 DNS and ::123 time of a VPC
  'fd00:ec2::/32',
  // Google Cloud: metadata of IPv6-only machines (cloud.google.com/compute/docs/metadata)
  'fd20:ce::254/128',
  // Scaleway: metadata by IPv6 (cloud-init’s Scaleway data source; Scaleway’s Instance API)
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128', // Akamai (Linode): metadata by IPv6 (cloud-init’s Akamai data source)
]
