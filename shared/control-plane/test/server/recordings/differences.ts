const POD_DIFF = "upstream's text goes on with a diff of Go structs"

const CORE_KINDS = 'fewer kinds of the core group are served; in JSON, those are compared'

/**
 * Differences between our answers and those of kube-apiserver 1.36.4, by section and request, each with its
 * reason.
 */
export const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  discovery: {
    'openapi v3 index':
      'core and networking.k8s.io are not served completely: their documents have other hashes',
    'discovery protobuf accept': CORE_KINDS,
    'discovery yaml': CORE_KINDS,
  },
  list: {
    'table columns leases': 'there is one server: no Lease tells which ones there are',
    'table columns apiservices': 'fewer groups are served than by all of kube-apiserver',
  },
  watch: {},
  write: {},
  patch: {},
  'delete-auth-media': {
    'bob rules review': 'the order of rules is that of a hash map at upstream',
    'impersonate forbidden': 'the text is that of constrained impersonation (KEP-5284)',
    'accept CR protobuf,json': 'kube-apiserver was still starting to serve the resource (429)',
    'CR create protobuf ct': 'kube-apiserver panics and drops the connection; here it is a 400',
  },
  core: {
    'pod immutable spec change': POD_DIFF,
    'pod nodeName via patch': POD_DIFF,
    'pod log no kubelet': 'there is no /log: no pods run',
  },
}
