export {
  type CommandContext,
  createOperatorCommands,
  type OperatorCommands,
  type OperatorTasks,
  operatorTasks,
} from './operator-tasks.ts'
