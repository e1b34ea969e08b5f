/** Texts that are different in each run and are printed. */
interface Surroundings {
  /** Folder in which the commands run. */
  readonly folder: string
  /** The URL of the server, without a path. */
  readonly server: string
}

const ACCIDENTS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000/g, '<time>'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"'],
  [/(?<=^|\s)(\d+[smhdy])+(?=[\s)]|$)( +)?/gm, '<age>$2'],
  [/(?<=<age>|AGE|SEEN) {2,}/g, '  '],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  // A busy kube-apiserver repairs the address of a Service that it made a moment ago, which causes an event.
  [/^Events:\n.*\n.*\n( +Warning +ClusterIPNotAllocated .*\n)+/gm, 'Events:                   <none>\n'],
  // kubectl logs the end of its own time limit, where its watch notices that before the command ends.
  [/^E\d{4} .* reflector\.go:\d+\] "Failed to watch" err="context deadline exceeded" .*\n/gm, ''],
]

/** Removes uids, tokens, times, ages, versions and the place of the run from a text. */
export function withoutAccidents(text: string, { folder, server }: Surroundings): string {
  let result = text.replaceAll(folder, '<folder>').replaceAll(server, '<server>')
  for (const [accident, name] of ACCIDENTS) result = result.replace(accident, name)
  return result
}
