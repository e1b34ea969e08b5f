export { commandsPage } from './commands-page.ts'
export { referencePage } from './page.ts'
