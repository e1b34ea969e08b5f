/**
 * Draws the slices of the moment that the slider selects. Plain script of the page: it creates elements and
 * sets their text, so names are never parsed as HTML.
 */
export const SLICES_SCRIPT = `
const counted = (count, noun) => count + ' ' + noun + (count === 1 ? '' : 's')
for (const figure of document.querySelectorAll('[data-slices]')) {
  const { slices, times, frames } = JSON.parse(figure.querySelector('script').textContent)
  const slider = figure.querySelector('input')
  const output = figure.querySelector('output')
  const drawing = figure.querySelector('svg')
  const NS = 'http://www.w3.org/2000/svg'
  const add = (name, attributes) => {
    const element = document.createElementNS(NS, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    drawing.append(element)
    return element
  }
  const columns = Number(drawing.dataset.columns)
  const rows = slices.map((name, row) => {
    add('text', { x: 0, y: row * 14 + 10 }).textContent = name
    add('rect', { class: 'room', x: 110, y: row * 14, width: columns * 6 - 1, height: 11 })
    return Object.fromEntries(['r', 'u', 't'].map((state) => [state, add('path', { class: 'state-' + state })]))
  })
  const show = () => {
    const frame = frames[slider.value]
    let total = 0
    rows.forEach((paths, row) => {
      const paint = { r: '', u: '', t: '' }
      const endpoints = frame[row]
      for (let column = 0; column < endpoints.length; column++)
        paint[endpoints[column]] += 'M' + (110 + column * 6) + ' ' + row * 14 + 'h5v11h-5z'
      for (const state in paint) paths[state].setAttribute('d', paint[state])
      total += endpoints.length
    })
    const filled = frame.filter((endpoints) => endpoints !== '').length
    const text = times[slider.value] + ': ' + counted(total, 'endpoint') + ' in ' + counted(filled, 'slice')
    output.textContent = text
    slider.setAttribute('aria-valuetext', text)
  }
  slider.addEventListener('input', show)
  show()
}
`
