import { byId, element, setText } from './dom.js'
import { numberText } from './texts.js'

/** Shows what waits for a person, each with the command that answers it. What does not change stays as it is. */
export function showTasks({ tasks, more }) {
  const list = byId('tasks')
  while (list.children.length > tasks.length) list.lastElementChild.remove()
  tasks.forEach((task, index) => {
    const line = list.children[index] ?? list.appendChild(emptyLine())
    const [kind, text, command] = line.children
    setText(kind, task.kind)
    setText(text, task.text)
    setText(command, task.command)
  })
  setText(byId('tasks-note'), noteOf(tasks, more))
}

const emptyLine = () =>
  element(
    'li',
    {},
    element('span', { class: 'kind' }),
    element('span'),
    element('code', { class: 'command' }),
  )

function noteOf(tasks, more) {
  if (tasks.length === 0) return 'Nothing.'
  return `Each with the command that answers it.${more > 0 ? ` ${numberText(more)} more are not listed.` : ''}`
}
