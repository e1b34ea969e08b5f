export { type CommandContext, createOperatorCommands, type OperatorCommands } from './commands.ts'
export { type OperatorTasks, operatorTasks } from './operator-tasks.ts'
