export {
  type CallNode,
  type ComprehensionNode,
  childrenOf,
  type Node,
  readsVariable,
  type SelectNode,
  type StructNode,
} from './nodes.ts'
export { parse } from './parser.ts'
export { describeIssues, type Issue, SyntaxIssue } from './source.ts'
