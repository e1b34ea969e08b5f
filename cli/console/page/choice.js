import { byId, element } from './dom.js'

/** Of Services that are offered to be chosen. */
const MOST_OFFERED = 50

/** Reads the Service after `#`: cluster, namespace, name and, of another kind, the kind, each encoded. Undefined where there is none. */
export function choiceOf(hash) {
  const [cluster, namespace, name, kind] = hash.slice(1).split('/').map(decoded)
  return name ? { cluster, service: ownerText({ namespace, service: name, ownerKind: kind }) } : undefined
}

export const linkTo = ({ cluster, ...of }) =>
  `#${[cluster, ...partsOf(of)].map(encodeURIComponent).join('/')}`

/** NAMESPACE/NAME of a Service, and NAMESPACE/NAME/KIND of another owner of slices. */
export const ownerText = (of) => partsOf(of).join('/')

const partsOf = ({ namespace, service, ownerKind }) => [namespace, service, ...(ownerKind ? [ownerKind] : [])]

function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** Has the form lead to the Service that is typed. */
export function connectForm() {
  byId('choice').addEventListener('submit', (event) => {
    event.preventDefault()
    const [namespace, ...rest] = byId('choice-service').value.trim().split('/')
    location.hash = linkTo({
      cluster: byId('choice-cluster').value,
      namespace,
      service: rest.join('/') || ' ',
    })
  })
}

export function showChoice(choice) {
  if (choice === undefined) return
  byId('choice-cluster').value = choice.cluster
  byId('choice-service').value = choice.service
}

export function showClusters(clusters) {
  const select = byId('choice-cluster')
  const chosen = select.value
  select.replaceChildren(...clusters.map((name) => element('option', { value: name }, name)))
  if (clusters.includes(chosen)) select.value = chosen
}

/** Offers the Services of which something happened lately. */
export function offerServices(events) {
  const names = new Set(events.filter(({ service }) => service !== undefined).map(ownerText))
  const offered = [...names].slice(-MOST_OFFERED)
  const list = byId('recent-services')
  if ([...list.children].map(({ value }) => value).join() === offered.join()) return
  list.replaceChildren(...offered.map((name) => element('option', { value: name })))
}
